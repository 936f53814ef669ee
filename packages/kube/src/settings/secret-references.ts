import { isRecord } from "@capstan/formats";

/** What a Secret of this name says, where settings may refer to it. */
export type SecretTexts = (name: string) => Readonly<Record<string, string>> | undefined;

const ownSecret = "argocd-secret";

/** Each text that is a reference, by what it refers to: `$key` of argocd-secret, `$name:key` of a Secret with the label part-of=argocd. */
export function withSecrets(
  value: Record<string, unknown>,
  secrets: SecretTexts,
  problem: (said: string) => void,
): Record<string, unknown> {
  const replaced = (one: unknown): unknown => {
    if (typeof one === "string") return resolve(one, secrets, problem);
    if (Array.isArray(one)) return one.map(replaced);
    if (isRecord(one))
      return Object.fromEntries(Object.entries(one).map(([key, held]) => [key, replaced(held)]));
    return one;
  };
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, replaced(held)]));
}

function resolve(text: string, secrets: SecretTexts, problem: (said: string) => void): string {
  if (!text.startsWith("$")) return text;
  const reference = text.slice(1).trim();
  const colon = reference.indexOf(":");
  const [name, key] =
    colon < 0 ? [ownSecret, reference] : [reference.slice(0, colon), reference.slice(colon + 1)];
  const found = secrets(name)?.[key];
  if (found !== undefined) return found.trim();
  problem(
    `refers to ${text}, and Secret ${name} has no ${key}${colon < 0 ? "" : ", or not the label app.kubernetes.io/part-of: argocd"}`,
  );
  return text;
}
