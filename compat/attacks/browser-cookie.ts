import { passwords } from "./accounts.ts";
import type { AttackWorld } from "./attack.ts";

const cookies = new WeakMap<AttackWorld, Map<string, Promise<string>>>();

/** The cookie that a browser of this account sends along: of one login, since the throttle is for others. */
export function browserCookie(world: AttackWorld, who: keyof typeof passwords): Promise<string> {
  const ofWorld = cookies.get(world) ?? new Map<string, Promise<string>>();
  cookies.set(world, ofWorld);
  const known = ofWorld.get(who) ?? logIn(world, who);
  ofWorld.set(who, known);
  return known;
}

async function logIn(world: AttackWorld, who: keyof typeof passwords): Promise<string> {
  return `argocd.token=${await sessionToken(world, who)}`;
}

/** Of a login of its own. */
export async function sessionToken(
  world: AttackWorld,
  who: keyof typeof passwords,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = { username: who, password: passwords[who] };
  const { body: answer } = await world.ask("nobody", "POST /api/v1/session", { body, headers });
  const token = /"token":"([^"]+)"/.exec(JSON.stringify(answer))?.[1];
  if (token === undefined) throw new Error(`${who} cannot log in: ${JSON.stringify(answer)}`);
  return token;
}
