let codesByName: Map<string, string> | undefined;

/** The code of a country by its English name, or by what stands for the code already. */
export function countryCodeOf(name: string): string | undefined {
  if (/^\s*[A-Za-z]{2}\s*$/.test(name)) return new Intl.Locale(`und-${name.trim()}`).region;
  if (!codesByName) {
    codesByName = new Map([
      ["usa", "US"],
      ["england", "GB"],
    ]);
    const english = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
    for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
      // Former countries have the name of what they became: DD is called Germany, too.
      if (new Intl.Locale(`und-${code}`).region !== code) continue;
      const country = english.of(code)?.toLowerCase();
      if (country !== undefined && !codesByName.has(country)) codesByName.set(country, code);
    }
  }
  return codesByName.get(name.trim().toLowerCase());
}
