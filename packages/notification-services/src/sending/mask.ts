/** Shorter ones would make a riddle of every message. */
const shortest = 4;
const tokenLength = 8;
const mark = "***";

/** The text without these secrets, nor any word of one (`Bearer <token>`), as they are or written into an address. */
export function mask(text: string, secrets: readonly string[]): string {
  const words = secrets.flatMap((secret) => [secret, ...secret.split(/\s+/), ...partsOf(secret)]);
  const hidden = new Set(words.flatMap((word) => [word, encodeURIComponent(word)]));
  const longestFirst = [...hidden]
    .filter((word) => word.length >= shortest)
    .sort((a, b) => b.length - a.length);
  let masked = text;
  for (const word of longestFirst) masked = masked.replaceAll(word, mark);
  return masked;
}

/** Of an address that is a secret (Slack, Teams, Telegram): all but its host, and what is long enough for a token. */
function partsOf(secret: string): string[] {
  if (!/^https?:/i.test(secret) || !URL.canParse(secret)) return [];
  const { pathname, search, searchParams, username, password } = new URL(secret);
  const pieces = [...pathname.split("/"), ...searchParams.values()].filter(
    (piece) => piece.length >= tokenLength,
  );
  const wholes = [`${pathname}${search}`, pathname, search].filter((whole) => whole.length >= tokenLength);
  return [username, password, ...wholes, ...pieces];
}
