const services: Record<string, { name: string; level: string | null; isGround?: true }> = {
  FEDEX_GROUND: { name: "FedEx Ground", level: "ground", isGround: true },
  GROUND_HOME_DELIVERY: { name: "FedEx Home Delivery", level: "ground", isGround: true },
  SMART_POST: { name: "FedEx Ground Economy", level: "economy", isGround: true },
  FEDEX_EXPRESS_SAVER: { name: "FedEx Express Saver", level: "three_day" },
  FEDEX_2_DAY: { name: "FedEx 2Day", level: "two_day" },
  FEDEX_2_DAY_AM: { name: "FedEx 2Day A.M.", level: "two_day_am" },
  STANDARD_OVERNIGHT: { name: "FedEx Standard Overnight", level: "overnight_saver" },
  PRIORITY_OVERNIGHT: { name: "FedEx Priority Overnight", level: "overnight" },
  FIRST_OVERNIGHT: { name: "FedEx First Overnight", level: "overnight_early" },
  INTERNATIONAL_ECONOMY: { name: "FedEx International Economy", level: null },
  FEDEX_INTERNATIONAL_PRIORITY: { name: "FedEx International Priority", level: null },
  FEDEX_INTERNATIONAL_PRIORITY_EXPRESS: { name: "FedEx International Priority Express", level: null },
  FEDEX_INTERNATIONAL_CONNECT_PLUS: { name: "FedEx International Connect Plus", level: null },
  INTERNATIONAL_FIRST: { name: "FedEx International First", level: null },
};

export function fedexService(type: string): { name: string; level: string | null; isGround?: true } {
  return services[type] ?? { name: `FedEx ${type.replaceAll("_", " ").toLowerCase()}`, level: null };
}

const numbers = ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"];

/** 2 of TWO_DAYS. */
export function daysOf(text: string | undefined): number | undefined {
  const days = numbers.indexOf((text ?? "").replace(/_DAYS?$/, ""));
  return days < 0 ? undefined : days;
}
