/** A badge's two words, and what may stand beside and above them. */
export interface Badge {
  readonly health: string;
  readonly sync: string;
  readonly revision?: string;
  readonly title?: string;
  /** Pixels; undefined: as wide as it is. */
  readonly width?: number;
}

const healthColours: Readonly<Record<string, string>> = {
  Healthy: "#18be52",
  Progressing: "#0dadea",
  Degraded: "#e96d76",
  Suspended: "#766f94",
  Missing: "#f4c030",
};
const syncColours: Readonly<Record<string, string>> = { Synced: "#18be52", OutOfSync: "#f4c030" };
const grey = "#8fa4b1";
const row = 20;
const perCharacter = 7;
const beside = 12;

/** An SVG picture: no font, script or file from elsewhere. */
export function drawBadge({ health, sync, revision, title, width }: Badge): string {
  const parts = [
    { text: health, colour: healthColours[health] ?? grey },
    ...(sync === "" ? [] : [{ text: sync, colour: syncColours[sync] ?? grey }]),
    ...(revision === undefined ? [] : [{ text: `(${revision})`, colour: syncColours[sync] ?? grey }]),
  ].map((part) => ({ ...part, wide: part.text.length * perCharacter + beside }));
  const own = parts.reduce((sum, { wide }) => sum + wide, 0);
  const least = title === undefined ? own : Math.max(own, title.length * perCharacter + beside);
  const whole = Math.max(least, width ?? 0);
  const top = title === undefined ? 0 : row;
  const drawn: string[] =
    title === undefined ? [] : [box({ x: 0, y: 0, wide: whole, text: title, colour: "#363c4a" })];
  let x = 0;
  for (const [at, { text, colour, wide }] of parts.entries()) {
    const last = at === parts.length - 1;
    drawn.push(box({ x, y: top, wide: last ? whole - x : wide, text, colour }));
    x += wide;
  }
  const label = escaped([title, health, sync].filter(Boolean).join(" "));
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width ?? whole}" height="${top + row}" viewBox="0 0 ${whole} ${top + row}" role="img" aria-label="${label}">`;
  const font = `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">`;
  return `${head}<title>${label}</title>${font}${drawn.join("")}</g></svg>\n`;
}

interface Box {
  x: number;
  y: number;
  wide: number;
  text: string;
  colour: string;
}

function box({ x, y, wide, text, colour }: Box): string {
  const shape = `<rect x="${x}" y="${y}" width="${wide}" height="${row}" fill="${colour}"/>`;
  return `${shape}<text x="${x + wide / 2}" y="${y + 14}">${escaped(text)}</text>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML takes none of them
  return text.replace(/[\u0000-\u001f]/g, "").replace(/[&<>"']/g, (char) => entities[char] ?? "");
}
