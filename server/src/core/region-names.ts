/** ISO 3166-1: the two letters and the three letters of every country, written together. */
const codes =
  "AFAFG ALALB DZDZA ASASM ADAND AOAGO AIAIA AQATA AGATG ARARG AMARM AWABW AUAUS ATAUT AZAZE BSBHS BHBHR BDBGD BBBRB BYBLR " +
  "BEBEL BZBLZ BJBEN BMBMU BTBTN BOBOL BQBES BABIH BWBWA BVBVT BRBRA IOIOT BNBRN BGBGR BFBFA BIBDI CVCPV KHKHM CMCMR CACAN " +
  "KYCYM CFCAF TDTCD CLCHL CNCHN CXCXR CCCCK COCOL KMCOM CGCOG CDCOD CKCOK CRCRI CICIV HRHRV CUCUB CWCUW CYCYP CZCZE DKDNK " +
  "DJDJI DMDMA DODOM ECECU EGEGY SVSLV GQGNQ ERERI EEEST SZSWZ ETETH FKFLK FOFRO FJFJI FIFIN FRFRA GFGUF PFPYF TFATF GAGAB " +
  "GMGMB GEGEO DEDEU GHGHA GIGIB GRGRC GLGRL GDGRD GPGLP GUGUM GTGTM GGGGY GNGIN GWGNB GYGUY HTHTI HMHMD VAVAT HNHND HKHKG " +
  "HUHUN ISISL ININD IDIDN IRIRN IQIRQ IEIRL IMIMN ILISR ITITA JMJAM JPJPN JEJEY JOJOR KZKAZ KEKEN KIKIR KPPRK KRKOR KWKWT " +
  "KGKGZ LALAO LVLVA LBLBN LSLSO LRLBR LYLBY LILIE LTLTU LULUX MOMAC MGMDG MWMWI MYMYS MVMDV MLMLI MTMLT MHMHL MQMTQ MRMRT " +
  "MUMUS YTMYT MXMEX FMFSM MDMDA MCMCO MNMNG MEMNE MSMSR MAMAR MZMOZ MMMMR NANAM NRNRU NPNPL NLNLD NCNCL NZNZL NINIC NENER " +
  "NGNGA NUNIU NFNFK MKMKD MPMNP NONOR OMOMN PKPAK PWPLW PSPSE PAPAN PGPNG PYPRY PEPER PHPHL PNPCN PLPOL PTPRT PRPRI QAQAT " +
  "REREU ROROU RURUS RWRWA BLBLM SHSHN KNKNA LCLCA MFMAF PMSPM VCVCT WSWSM SMSMR STSTP SASAU SNSEN RSSRB SCSYC SLSLE SGSGP " +
  "SXSXM SKSVK SISVN SBSLB SOSOM ZAZAF GSSGS SSSSD ESESP LKLKA SDSDN SRSUR SJSJM SESWE CHCHE SYSYR TWTWN TJTJK TZTZA THTHA " +
  "TLTLS TGTGO TKTKL TOTON TTTTO TNTUN TRTUR TMTKM TCTCA TVTUV UGUGA UAUKR AEARE GBGBR USUSA UMUMI UYURY UZUZB VUVUT VEVEN " +
  "VNVNM VGVGB VIVIR WFWLF EHESH YEYEM ZMZMB ZWZWE AXALA";

const otherNames: Record<string, string> = {
  uk: "GB",
  "great britain": "GB",
  england: "GB",
  scotland: "GB",
  wales: "GB",
  "united states of america": "US",
  "u s a": "US",
  "u s": "US",
  america: "US",
  holland: "NL",
  "the netherlands": "NL",
  "czech republic": "CZ",
  "south korea": "KR",
  "korea republic of": "KR",
  "russian federation": "RU",
  "viet nam": "VN",
  turkey: "TR",
  deutschland: "DE",
  osterreich: "AT",
  schweiz: "CH",
  espana: "ES",
  italia: "IT",
  mexico: "MX",
  brasil: "BR",
};

export type Country = { alpha2: string; alpha3: string; name: string };

const countries: readonly Country[] = codes.split(" ").map((pair) => ({
  alpha2: pair.slice(0, 2),
  alpha3: pair.slice(2),
  get name() {
    return englishNames().of(this.alpha2) ?? this.alpha2;
  },
}));

let names: Intl.DisplayNames | undefined;
function englishNames(): Intl.DisplayNames {
  return (names ??= new Intl.DisplayNames("en", { type: "region" }));
}

/** The same name however it is written: no case, accents, dots or commas. */
function keyOf(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("&", " and ")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

let byKey: Map<string, Country> | undefined;

/** By either code or by its English name. */
export function findCountry(text: string): Country | undefined {
  if (!byKey) {
    byKey = new Map();
    for (const country of countries) {
      for (const key of [country.name, country.alpha3, country.alpha2]) byKey.set(keyOf(key), country);
    }
    for (const [key, alpha2] of Object.entries(otherNames)) byKey.set(key, byKey.get(alpha2.toLowerCase())!);
  }
  return text.length > 100 ? undefined : byKey.get(keyOf(text));
}

const stateNames: Record<string, string> = {
  US:
    "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,FL Florida,GA Georgia," +
    "HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland," +
    "MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,NV Nevada," +
    "NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma," +
    "OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont," +
    "VA Virginia,WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,DC District of Columbia,PR Puerto Rico," +
    "VI Virgin Islands,GU Guam,AS American Samoa,MP Northern Mariana Islands,AA Armed Forces Americas," +
    "AE Armed Forces Europe,AP Armed Forces Pacific",
  CA:
    "AB Alberta,BC British Columbia,MB Manitoba,NB New Brunswick,NL Newfoundland and Labrador,NS Nova Scotia," +
    "NT Northwest Territories,NU Nunavut,ON Ontario,PE Prince Edward Island,QC Quebec,SK Saskatchewan,YT Yukon",
  AU:
    "NSW New South Wales,VIC Victoria,QLD Queensland,WA Western Australia,SA South Australia,TAS Tasmania," +
    "ACT Australian Capital Territory,NT Northern Territory",
};

export const countriesWithStates = Object.keys(stateNames);

export function listStates(country: string): [code: string, name: string][] {
  return stateNames[country]!.split(",").map((entry) => [
    entry.slice(0, entry.indexOf(" ")),
    entry.slice(entry.indexOf(" ") + 1),
  ]);
}

/** Names and codes of the states of a country, by their key; the value is the code. */
export function statesOf(country: string): (text: string) => string | undefined {
  const states = new Map<string, string>();
  for (const [code, name] of listStates(country)) {
    states.set(keyOf(name), code);
    states.set(keyOf(code), code);
  }
  return (text) => (text.length > 100 ? undefined : states.get(keyOf(text)));
}

/** Country calling codes, for numbers that are written without one. */
export const callingCodes: Record<string, string> = Object.fromEntries(
  (
    "US1 CA1 MX52 BR55 AR54 CL56 CO57 PE51 GB44 IE353 DE49 FR33 ES34 IT39 PT351 NL31 BE32 LU352 CH41 AT43 DK45 SE46 NO47 " +
    "FI358 PL48 CZ420 SK421 HU36 RO40 BG359 GR30 HR385 SI386 EE372 LV371 LT370 UA380 TR90 IL972 AE971 SA966 EG20 ZA27 " +
    "NG234 KE254 MA212 IN91 PK92 CN86 HK852 TW886 JP81 KR82 SG65 MY60 TH66 VN84 PH63 ID62 AU61 NZ64"
  )
    .split(" ")
    .map((pair) => [pair.slice(0, 2), pair.slice(2)]),
);

/** Where a leading zero belongs to the number itself. */
export const keepsLeadingZero: ReadonlySet<string> = new Set(["IT"]);
