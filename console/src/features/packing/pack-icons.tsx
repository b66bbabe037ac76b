const paths = {
  barcode: "M4 6v12M7.500 6v12M10 6v12M13.500 6v12M16 6v12M20 6v12",
  gift: "M4 11h16v9H4v-9zM3 7h18v4H3V7zM12 7v13M12 7c-4 0-5-4-3-4.500S12 7 12 7zM12 7c4 0 5-4 3-4.500S12 7 12 7z",
  sound: "M4 9.500v5h3.500L12 18.500v-13L7.500 9.500H4zM15.500 9a4 4 0 0 1 0 6M18 6.500a7.500 7.500 0 0 1 0 11",
  "sound-off": "M4 9.500v5h3.500L12 18.500v-13L7.500 9.500H4zM16 9.500l5 5M21 9.500l-5 5",
} as const;

/** Icons of the station alone, so that other pages do not load them. */
export function PackIcon({ name, size = 16 }: { name: keyof typeof paths; size?: number }) {
  return (
    <svg
      aria-hidden
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
    >
      <path d={paths[name]} />
    </svg>
  );
}
