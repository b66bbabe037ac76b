/** What styles made by code must carry to be let in; the hub makes one for each page it hands out. */
export const nonce: string = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
