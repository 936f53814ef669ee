import { listAt, nameAt } from "./payload.ts";
import { headerOf, type WebhookProof, type WebhookProvider, type WebhookRequest } from "./push-event.ts";
import { isSameText } from "./signatures.ts";

type Query = Readonly<Record<string, unknown>>;

/** A registry whose webhooks are understood: `?type=` says which, as for argocd-image-updater. They sign nothing. */
interface RegistrySender {
  readonly name: string;
  /** Key of argocd-secret below `webhook.`. */
  readonly secretKey: string;
  secretIn(headers: WebhookRequest["headers"], query: Query): string | undefined;
  /** The image that was pushed, HOST/PATH; nothing where something else is told. */
  readImage(payload: unknown): string | undefined;
}

const inQuery: RegistrySender["secretIn"] = (_headers, { secret }) =>
  typeof secret === "string" ? secret : undefined;
const inAuthorization: RegistrySender["secretIn"] = (headers) => headerOf(headers, "authorization");

const senders: Readonly<Record<string, RegistrySender>> = {
  "docker.io": {
    name: "Docker Hub",
    secretKey: "docker.secret",
    secretIn: inQuery,
    readImage: (payload) => under("docker.io", nameAt(payload, "repository", "repo_name")),
  },
  "quay.io": {
    name: "Quay",
    secretKey: "quay.secret",
    secretIn: inQuery,
    readImage: (payload) => nameAt(payload, "docker_url") ?? under("quay.io", nameAt(payload, "repository")),
  },
  harbor: {
    name: "Harbor",
    secretKey: "harbor.secret",
    secretIn: inAuthorization,
    readImage(payload) {
      if (nameAt(payload, "type") !== "PUSH_ARTIFACT") return undefined;
      const [first] = listAt(payload, "event_data", "resources");
      // With a scheme or without.
      const host = nameAt(first, "resource_url")
        ?.replace(/^https?:\/\//, "")
        .split("/")[0];
      return host && under(host, nameAt(payload, "event_data", "repository", "repo_full_name"));
    },
  },
};

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
  const sender = Object.hasOwn(senders, type) ? senders[type] : undefined;
  if (!sender) {
    const message = `unknown type of webhook: ${Object.keys(senders).join(", ")} are known`;
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
    readImage,
  };
  return { kind: "known", provider, proof };
}

function under(host: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : `${host}/${path}`;
}
