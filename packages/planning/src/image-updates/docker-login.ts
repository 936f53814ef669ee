import { isRecord, parseJson } from "@capstan/formats";

export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

/** `USER:PASSWORD`. */
export function readLogin(text: string): RegistryLogin | undefined {
  const line = text.trim();
  const colon = line.indexOf(":");
  return colon < 1 ? undefined : { username: line.slice(0, colon), password: line.slice(colon + 1) };
}

/** What a Secret of type kubernetes.io/dockerconfigjson has for one of these hosts, and for no other. */
export function dockerLogin(config: string, hosts: readonly string[]): RegistryLogin | undefined {
  const value = readJson(config);
  const auths = isRecord(value) && isRecord(value.auths) ? value.auths : {};
  for (const [address, entry] of Object.entries(auths)) {
    if (!isRecord(entry) || !hosts.includes(hostOf(address))) continue;
    const { username, password, auth } = entry;
    if (typeof username === "string" && typeof password === "string") return { username, password };
    const found = typeof auth === "string" ? readLogin(Buffer.from(auth, "base64").toString()) : undefined;
    if (found) return found;
  }
  return undefined;
}

function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Docker writes `https://index.docker.io/v1/`, others the host alone. */
function hostOf(address: string): string {
  return address.replace(/^https?:\/\//, "").split("/")[0] ?? "";
}
