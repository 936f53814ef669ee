import { nameAt } from "./payload.ts";
import type { WebhookProof, WebhookProvider, WebhookRequest } from "./push-event.ts";
import { type Query, registrySenders, under } from "./registry-senders.ts";
import { isSameText } from "./signatures.ts";

/** A package of GitHub's registry, which GitHub tells as it tells pushes of commits. */
export function readGithubPackage(payload: unknown): string | undefined {
  const place = ["package", "registry_package"].find((one) => nameAt(payload, one, "name") !== undefined);
  if (place === undefined || nameAt(payload, "action") !== "published") return undefined;
  if (nameAt(payload, place, "package_type")?.toLowerCase() !== "container") return undefined;
  const owner = nameAt(payload, place, "owner", "login");
  return owner && under("ghcr.io", `${owner}/${nameAt(payload, place, "name")}`.toLowerCase());
}

export type RegistryAdmission =
  | { readonly kind: "known"; readonly provider: WebhookProvider; readonly proof: WebhookProof }
  | { readonly kind: "refused"; readonly status: 400 | 401; readonly message: string };

/** Nobody is believed without a secret: what a registry tells makes Capstan ask registries. */
export function admitRegistry(
  { type, headers, query }: { type: string; headers: WebhookRequest["headers"]; query: Query },
  secretOf: (key: string) => string | undefined,
): RegistryAdmission {
  const sender = Object.hasOwn(registrySenders, type) ? registrySenders[type] : undefined;
  if (!sender) {
    const message = `unknown type of webhook: ${Object.keys(registrySenders).join(", ")} are known`;
    return { kind: "refused", status: 400, message };
  }
  const { name, secretKey, secretIn, readImage } = sender;
  const refused = (message: string) =>
    ({ kind: "refused", status: 401, message: `${name} webhook: ${message}` }) as const;
  const secret = secretOf(secretKey);
  if (secret === undefined)
    return refused(`set webhook.${secretKey} in argocd-secret, and tell the registry`);
  if (!isSameText(secretIn(headers, query), secret))
    return refused("its secret does not match the one in argocd-secret");
  const proof: WebhookProof = { by: "headers", holds: () => true };
  const read = () => undefined;
  const provider = {
    name,
    secretKeys: [secretKey],
    recognises: () => true,
    proof: () => proof,
    read,
    readImage: (payload: unknown) => readImage(payload, query),
  };
  return { kind: "known", provider, proof };
}
