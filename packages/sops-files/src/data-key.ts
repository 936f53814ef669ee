import type { KeyType, MasterKey, Metadata } from "./metadata.ts";
import { combineParts } from "./shamir.ts";

/** Turns what a file keeps of its data key into the key; throws an Error that says why not, without its value. */
export type Unwrap = (key: MasterKey, signal: AbortSignal) => Promise<Buffer>;
export type KeyServices = Readonly<Partial<Record<KeyType, Unwrap>>>;

/** Local keys first: they ask nobody (sops.go DefaultDecryptionOrder). */
const order: readonly KeyType[] = ["age", "pgp"];

/** One key of a group is enough; of several groups as many as the threshold says (sops.go GetDataKey). */
export async function openDataKey(
  { groups, threshold }: Metadata,
  services: KeyServices,
  signal: AbortSignal,
): Promise<Buffer> {
  const problems: string[] = [];
  const parts: Buffer[] = [];
  for (const group of groups) {
    const part = await openGroup(group, services, { problems, signal });
    if (part) parts.push(part);
  }
  const [only] = parts;
  if (groups.length === 1 && only) return checkLength(only);
  if (groups.length > 1 && parts.length >= Math.max(threshold, 2)) return checkLength(combineParts(parts));
  const needed = groups.length === 1 ? "none of its keys" : `${parts.length} of ${threshold} key groups`;
  throw new Error(`${needed} could be used: ${problems.join("; ")}`);
}

async function openGroup(
  group: readonly MasterKey[],
  services: KeyServices,
  { problems, signal }: { problems: string[]; signal: AbortSignal },
): Promise<Buffer | undefined> {
  const rank = ({ type }: MasterKey) => (order.includes(type) ? order.indexOf(type) : order.length);
  for (const key of group.toSorted((one, other) => rank(one) - rank(other))) {
    const unwrap = services[key.type];
    if (!unwrap) {
      problems.push(`${nameOf(key)}: keys of this kind cannot be used here`);
      continue;
    }
    try {
      return await unwrap(key, signal);
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`${nameOf(key)}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return undefined;
}

function checkLength(key: Buffer): Buffer {
  if (key.length === 32) return key;
  throw new Error(`the data key has ${key.length} bytes instead of 32`);
}

/** As a person knows it. */
function nameOf({ type, fields }: MasterKey): string {
  const { recipient, fp, arn, resource_id, key_id, name, vault_url, vault_address, key_name } = fields;
  const own = recipient ?? fp ?? arn ?? resource_id ?? key_id;
  return `${type} ${own ?? [vault_url ?? vault_address, name ?? key_name].join(" ")}`;
}
