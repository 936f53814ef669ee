type Env = Readonly<Record<string, string | undefined>>;

/**
 * Which key services a file may make us ask: SOPS_KMS_ALLOWLIST has beginnings of what sops calls a key (an ARN, a
 * resource id, https://VAULT/keys/NAME), "all" or "none". Without it those of a cloud for which the environment
 * names credentials in `variables`.
 */
export function checkAllowed(env: Env, key: string, variables: readonly string[]): void {
  const list = env.SOPS_KMS_ALLOWLIST;
  if (list === undefined || list === "") {
    if (variables.some((name) => env[name])) return;
    const or = variables.length > 0 ? `${variables.join(" or ")} is not set, and ` : "";
    throw new Error(`${or}it is not in SOPS_KMS_ALLOWLIST, so nobody is asked for it`);
  }
  const entries = list.split(",").map((entry) => entry.trim());
  if (entries.includes("all") || entries.some((entry) => entry !== "" && isBelow(key, entry))) return;
  throw new Error("it is not in SOPS_KMS_ALLOWLIST, so nobody is asked for it");
}

/** A beginning ends where a part of the name does: `https://a.example` does not allow `https://a.example.org`. */
function isBelow(key: string, beginning: string): boolean {
  if (!key.startsWith(beginning)) return false;
  return (
    key.length === beginning.length || /[/:]$/.test(beginning) || /[/:]/.test(key[beginning.length] ?? "")
  );
}
