import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "./attack.ts";

const folder = join(import.meta.dirname, "classes");

/** All attacks, a file of `classes` after the other: each exports `attacks`. */
export async function readAttacks(): Promise<readonly Attack[]> {
  const found: Attack[] = [];
  for (const file of readdirSync(folder).sort()) {
    const { attacks }: { attacks: readonly Attack[] } = await import(join(folder, file));
    const area = file.replace(/\.ts$/, "");
    for (const attack of attacks) {
      if (!attack.id.startsWith(`${area}/`))
        throw new Error(`${file}: ${attack.id} must begin with ${area}/`);
      if (found.some(({ id }) => id === attack.id)) throw new Error(`${file}: ${attack.id} stands twice`);
      found.push(attack);
    }
  }
  return found;
}
