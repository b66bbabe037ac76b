/** First and last ZIP3 of each state and territory; a later row goes before an earlier one. */
const stateRanges =
  "005-005 NY,006-007 PR,008-008 VI,009-009 PR,010-027 MA,028-029 RI,030-038 NH,039-049 ME,050-059 VT,055-055 MA," +
  "060-069 CT,070-089 NJ,090-099 AE,100-149 NY,150-196 PA,197-199 DE,200-205 DC,201-201 VA,206-219 MD,220-246 VA," +
  "247-268 WV,270-289 NC,290-299 SC,300-319 GA,320-349 FL,340-340 AA,350-369 AL,370-385 TN,386-397 MS,398-399 GA," +
  "400-427 KY,430-459 OH,460-479 IN,480-499 MI,500-528 IA,530-549 WI,550-567 MN,569-569 DC,570-577 SD,580-588 ND," +
  "590-599 MT,600-629 IL,630-658 MO,660-679 KS,680-693 NE,700-714 LA,716-729 AR,730-749 OK,733-733 TX,750-799 TX," +
  "800-816 CO,820-831 WY,832-838 ID,840-847 UT,850-865 AZ,870-884 NM,885-885 TX,889-898 NV,900-961 CA,962-966 AP," +
  "967-968 HI,969-969 GU,970-979 OR,980-994 WA,995-999 AK";

const stateOfPrefix: (string | undefined)[] = Array.from({ length: 1000 });
for (const row of stateRanges.split(",")) {
  const [, from, to, state] = /^(\d+)-(\d+) (\w\w)$/.exec(row)!;
  for (let prefix = Number(from); prefix <= Number(to); prefix++) stateOfPrefix[prefix] = state!;
}

/** Territories that share their first three digits with others. */
const stateOfWhole = new Map([
  ["96799", "AS"],
  ["96950", "MP"],
  ["96951", "MP"],
  ["96952", "MP"],
]);

/** The state or territory of a US ZIP, by its first three digits; undefined where no ZIP begins like this. */
export function stateOfZip(zip: string): string | undefined {
  const prefix = Number(zip.slice(0, 3));
  return (prefix === 967 || prefix === 969 ? stateOfWhole.get(zip) : undefined) ?? stateOfPrefix[prefix];
}

const prefixesByState = new Map<string, string[]>();
for (const [prefix, state] of stateOfPrefix.entries()) {
  if (state === undefined) continue;
  prefixesByState.set(state, [...(prefixesByState.get(state) ?? []), String(prefix).padStart(3, "0")]);
}

export function prefixesOfState(state: string): readonly string[] {
  return prefixesByState.get(state) ?? [];
}

/** With which a US ZIP can begin. */
export const knownPrefixes: readonly string[] = [...prefixesByState.values()].flat();
