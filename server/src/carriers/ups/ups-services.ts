/** Services by the code of UPS. Levels are those of domestic services. */
const services: Record<string, { name: string; level: string | null }> = {
  "01": { name: "UPS Next Day Air", level: "overnight" },
  "02": { name: "UPS 2nd Day Air", level: "two_day" },
  "03": { name: "UPS Ground", level: "ground" },
  "07": { name: "UPS Worldwide Express", level: null },
  "08": { name: "UPS Worldwide Expedited", level: null },
  "11": { name: "UPS Standard", level: null },
  "12": { name: "UPS 3 Day Select", level: "three_day" },
  "13": { name: "UPS Next Day Air Saver", level: "overnight_saver" },
  "14": { name: "UPS Next Day Air Early", level: "overnight_early" },
  "17": { name: "UPS Worldwide Economy DDU", level: null },
  "54": { name: "UPS Worldwide Express Plus", level: null },
  "59": { name: "UPS 2nd Day Air A.M.", level: "two_day_am" },
  "65": { name: "UPS Worldwide Saver", level: null },
  "70": { name: "UPS Access Point Economy", level: null },
  "72": { name: "UPS Worldwide Economy DDP", level: null },
  "74": { name: "UPS Express 12:00", level: null },
  "92": { name: "UPS Ground Saver under 1 lb", level: "economy" },
  "93": { name: "UPS Ground Saver", level: "economy" },
  "96": { name: "UPS Worldwide Express Freight", level: null },
};

export function upsService(code: string): { name: string; level: string | null } {
  return services[code] ?? { name: `UPS service ${code}`, level: null };
}
