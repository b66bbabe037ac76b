/** Stroke paths on a 24 by 24 grid. */
const paths = {
  alert: "M12 4 2.5 20h19L12 4zM12 10v4.5M12 17.3v.2",
  "arrow-right": "M5 12h14M13 6l6 6-6 6",
  "arrow-up": "M12 19V5M6 11l6-6 6 6",
  "arrow-down": "M12 5v14M6 13l6 6 6-6",
  box: "M4 8l8-4 8 4v8l-8 4-8-4V8zM4 8l8 4 8-4M12 12v8",
  bookmark: "M7 4h10v16l-5-4-5 4V4z",
  bolt: "M13 3 5 13.5h6L10.5 21 19 10h-6.500L13 3z",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15L6 16zM10 20.5h4",
  bridge: "M3 16V8M21 16V8M3 12c6-6 12-6 18 0M8 12v4M16 12v4M3 16h18",
  calendar: "M4 6h16v14H4V6zM4 10h16M8 3v4M16 3v4",
  chart: "M4 20V4M4 20h16M8 16v-5M12 16V8M16 16v-3",
  card: "M3 6h18v12H3V6zM3 10h18M7 15h4",
  check: "M5 12.5l4.5 4.5L19 7.5",
  "chevron-down": "M6 9.5l6 6 6-6",
  "chevron-up": "M6 14.5l6-6 6 6",
  "chevron-right": "M9.5 6l6 6-6 6",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2",
  columns: "M4 5h16v14H4V5zM10 5v14M15 5v14",
  copy: "M9 9h11v11H9V9zM15 9V4H4v11h5",
  dock: "M4 5h16v14H4V5zM4 14h16",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  filter: "M4 6h16M7 12h10M10 18h4",
  flow: "M5 4h5v5H5V4zM14 15h5v5h-5v-5zM7.5 9v4.5a4 4 0 0 0 4 4H14",
  gear: "M12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM12 2.5v3M12 18.5v3M2.5 12h3M18.5 12h3M5.3 5.3l2.1 2.1M16.6 16.6l2.1 2.1M18.7 5.3l-2.1 2.1M7.4 16.6l-2.1 2.1",
  grip: "M9 6v.01M15 6v.01M9 12v.01M15 12v.01M9 18v.01M15 18v.01",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.500 9.500a2.500 2.500 0 1 1 3.600 2.300c-.7.4-1.100.8-1.100 1.700M12 16.800v.1",
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4v-9z",
  key: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 13l8-8M16 8l3 3M14 10l2 2",
  label: "M5 3h14v18H5V3zM8.500 8h7M8.500 12h7M8.500 16h3",
  list: "M8 6h12M8 12h12M8 18h12M4 6v.01M4 12v.01M4 18v.01",
  mail: "M3 6h18v12H3V6zM3 7l9 6 9-6",
  menu: "M4 7h16M4 12h16M4 17h16",
  minus: "M6 12h12",
  moon: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z",
  money:
    "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM15 9c-.6-1-1.600-1.500-3-1.500-3.500 0-4 3.800-.5 4.500 4.500.9 4 4.500.5 4.500-1.500 0-2.600-.6-3.200-1.700M12 6v12",
  note: "M5 4h14v11l-5 5H5V4zM14 20v-5h5M8 9h8M8 13h4",
  open: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  pause: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM10 9v6M14 9v6",
  pencil: "M4 20l1-4L16.5 4.500l3 3L8 19l-4 1zM14 7l3 3",
  phone:
    "M6 3h3l1.500 4.500L8 9.500a12 12 0 0 0 6.500 6.500l2-2.500L21 15v3a3 3 0 0 1-3 3C10 21 3 14 3 6a3 3 0 0 1 3-3z",
  pin: "M12 21s7-6.5 7-11.5a7 7 0 0 0-14 0C5 14.5 12 21 12 21zM12 7.5a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6z",
  pushpin: "M9 3h6v7l3 4H6l3-4V3zM12 14v7",
  play: "M7 4.5v15l12-7.5-12-7.5z",
  plug: "M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0V8zM12 17v4",
  plus: "M12 5v14M5 12h14",
  printer: "M7 8V3h10v5M7 17H4V8h16v9h-3M7 14h10v7H7v-7z",
  redo: "M20 7v5h-5M19.5 12A8 8 0 1 0 17 18",
  run: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM10 8.500v7l5.500-3.500L10 8.500z",
  scan: "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M8 9v6M12 9v6M16 9v6",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5",
  server: "M4 5h16v6H4V5zM4 13h16v6H4v-6zM8 8v.1M8 16v.1",
  shield: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6l8-3z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.7 1.7M17.3 17.3 19 19M19 5l-1.7 1.7M6.7 17.3 5 19",
  tag: "M4 4h8l8 8-8 8-8-8V4zM8 8v.01",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  truck:
    "M3 6h11v10H3V6zM14 10h4l3 3v3h-7v-6zM7 16.5a1.750 1.750 0 1 0 0 3.5 1.750 1.750 0 0 0 0-3.5zM17.5 16.5a1.750 1.750 0 1 0 0 3.5 1.750 1.750 0 0 0 0-3.5z",
  undo: "M4 7v5h5M4.5 12A8 8 0 1 1 7 18",
  user: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-6 8-6s7 2 8 6",
  users:
    "M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 19c.7-3.5 3-5 6.5-5s5.8 1.5 6.5 5M16 5.5a3.3 3.3 0 0 1 0 6.2M17.5 14.3c2.2.5 3.5 2 4 4.7",
  webhook:
    "M12 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM6 14a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM18 14a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM10.700 9.700 7.500 14.400M13.300 9.700l3.200 4.700M9 17h6",
  x: "M6 6l12 12M18 6L6 18",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 14, weight = 1.75 }: { name: IconName; size?: number; weight?: number }) {
  return (
    <svg
      aria-hidden
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={weight}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={paths[name]} />
    </svg>
  );
}
