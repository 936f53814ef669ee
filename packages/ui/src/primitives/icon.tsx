const shapes = {
  apps: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z",
  sets: "M8 8h12v12H8zM4 16V4h12M14 11v6M11 14h6",
  repository: "M6 3v12M6 15a3 3 0 1 0 0 6a3 3 0 1 0 0-6M18 3a3 3 0 1 0 0 6a3 3 0 1 0 0-6M18 9a9 9 0 0 1-9 9",
  cluster: "M12 2l8.500 5v10L12 22l-8.500-5V7zM12 12l8.500-5M12 12v10M12 12L3.500 7",
  project: "M3 7a2 2 0 0 1 2-2h4l2 2.500h8a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z",
  plugin: "M9 3v4M15 3v4M6 7h12v4a6 6 0 0 1-12 0zM12 17v4",
  settings:
    "M4 7h10M18 7h2M4 17h2M10 17h10M16 5a2 2 0 1 0 0 4a2 2 0 1 0 0-4M8 15a2 2 0 1 0 0 4a2 2 0 1 0 0-4",
  search: "M11 4a7 7 0 1 0 0 14a7 7 0 1 0 0-14M20 20l-4-4",
  chevron: "M9 6l6 6-6 6",
  down: "M6 9l6 6 6-6",
  more: "M4 12h1.500M11.200 12h1.500M18.500 12h1.500",
  close: "M6 6l12 12M18 6L6 18",
  sync: "M20 7v5h-5M4 17v-5h5M6 9a7 7 0 0 1 12-1.500L20 12M4 12l2 4.500A7 7 0 0 0 18 15",
  copy: "M9 9h10v10H9zM5 15V5h10",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  table: "M4 5h16v14H4zM4 10h16M4 15h16M9 10v9",
  tiles: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  graph: "M4 10h5v4H4zM15 4h5v4h-5zM15 16h5v4h-5zM9 12h3M12 6v12M12 6h3M12 18h3",
  network:
    "M12 3a3 3 0 1 0 0 6a3 3 0 1 0 0-6M5 15a3 3 0 1 0 0 6a3 3 0 1 0 0-6M19 15a3 3 0 1 0 0 6a3 3 0 1 0 0-6M10.500 8.600L6.500 15.400M13.500 8.600l4 6.800",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  link: "M14 5h5v5M19 5l-8 8M17 14v5H5V7h5",
  user: "M12 4a4 4 0 1 0 0 8a4 4 0 1 0 0-8M4.500 20a7.500 7.500 0 0 1 15 0",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8",
  theme: "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M12 3v18",
  star: "M12 4l2.500 5.200 5.500.800-4 4 1 5.500-5-2.700-5 2.700 1-5.500-4-4 5.500-.800z",
  history: "M4 5v5h5M4.600 10A8 8 0 1 1 4 13M12 8v4.500l3 2",
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
