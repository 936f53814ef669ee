import type { Dice } from "../dice.ts";

/** Texts, numbers, lists and maps as generators of ApplicationSets give them, odd ones among them. */
export const texts = [
  "",
  "a",
  "engineering-dev",
  "Hello World",
  "  padded  ",
  "a/b/c.yaml",
  "https://user@example.org:8443/x%20y?q=1#f",
  "HTTPServer2xx_isUp",
  "1.2.3-rc.1",
  "v2.0",
  "12",
  "-7",
  "0x1f",
  "010",
  "3.50",
  "1e3",
  "true",
  "ÄÖü-ß",
  "日本語",
  "line one\nline two\n",
  "<b>&'\"</b>",
  "a,b,,c",
  "$1 ${x} $$",
  "[a-z]+",
  "(",
  "eyJhIjoxfQ==",
  "\t\u0001",
  "🦄 x",
] as const;

const value = (random: Dice, depth = 0): unknown => {
  const kind = random.below(depth > 2 ? 4 : 6);
  if (kind === 0) return random.pick(texts);
  if (kind === 1) return random.pick([0, 1, -1, 2, 10, 3.5, 1_000_000, 0.1, 1e21, 123456789, -0.00001]);
  if (kind === 2) return random.pick([true, false]);
  if (kind === 3) return random.chance(0.3) ? null : random.pick(texts);
  if (kind === 4) return random.several(0, 4, () => value(random, depth + 1));
  return Object.fromEntries(random.several(0, 4, () => [random.pick(keys), value(random, depth + 1)]));
};

const keys = ["name", "server", "labels", "path", "values", "n", "list", "a"] as const;

/** A map, with the usual keys mostly of the usual kinds. */
export function makeData(random: Dice): Record<string, unknown> {
  return {
    name: random.pick(texts),
    server: "https://1.2.3.4",
    n: random.pick([0, 1, 3, 2.5]),
    list: random.several(0, 4, () => random.pick(texts)),
    labels: { env: random.pick(texts), "a-b": "x" },
    path: { path: "apps/dev/guestbook", basename: "guestbook", segments: ["apps", "dev", "guestbook"] },
    ...(random.chance(0.5) && { [random.pick(keys)]: value(random) }),
  };
}
