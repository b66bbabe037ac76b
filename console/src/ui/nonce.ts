/** CSP nonce for styles inserted by scripts; new for each page load. */
export const nonce: string = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
