import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Secrets planted where no tenant may read, and a watch over what no tenant may change. */
export interface Canaries {
  /** By where they lie. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly outside: string;
  readonly proof: string;
  /** Plants one more, which lies where `place` says. */
  plant(place: string, secret?: string): string;
  check(texts: readonly string[]): Promise<void>;
}

export async function plantCanaries(dir: string): Promise<Canaries> {
  const secrets = new Map<string, string>();
  const plant = (place: string, secret = `canary${randomBytes(12).toString("hex")}`): string => {
    secrets.set(place, secret);
    return secret;
  };
  const outside = join(dir, "outside");
  const proof = join(dir, "proof");
  await mkdir(outside);
  await writeFile(join(outside, "secret"), `${plant("a file outside")}\n`);
  await writeFile(join(outside, "kustomization.yaml"), `resources: [secret.yaml]\n`);
  await writeFile(join(outside, "secret.yaml"), configMap(plant("a manifest outside")));
  await chmod(outside, 0o777);
  await chmod(dir, 0o777);
  const before = await contentsOf(outside);
  return {
    secrets,
    outside,
    proof,
    plant,
    async check(texts) {
      for (const [place, secret] of secrets)
        for (const text of texts)
          if (text.includes(secret) || text.includes(Buffer.from(secret).toString("base64")))
            throw new Error(`the canary of ${place} is seen: …${around(text, secret)}…`);
      if (existsSync(proof)) throw new Error("the attacker made the proof: he can write or run");
      if ((await contentsOf(outside)) !== before) throw new Error("a file outside was changed");
    },
  };
}

function configMap(secret: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: leak\ndata:\n  secret: ${secret}\n`;
}

async function contentsOf(dir: string): Promise<string> {
  const names = (await readdir(dir)).sort();
  const texts = await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name), "utf8")]));
  return JSON.stringify(texts);
}

function around(text: string, secret: string): string {
  const at = text.indexOf(secret);
  return text.slice(Math.max(0, at - 80), at + 80);
}
