import { isObject, type JsonObject, objectAt, textAt } from "../schema/json.ts";
import type { KubeObject } from "../types.ts";
import type { User } from "./user.ts";

/** What a token ends with. */
export interface Bound {
  kind: "Pod" | "Secret" | "Node";
  name: string;
  uid: string;
  /** Of a Pod, where it runs. */
  node?: { name: string; uid?: string };
}

export interface TokenClaims {
  user: User;
  audiences: readonly string[];
  account: { namespace: string; name: string; uid: string };
  /** Seconds since the epoch; undefined for the tokens of Secrets. */
  expires: number | undefined;
  bound: { type: string; name: string; uid: string | undefined } | undefined;
  /** For a token that must stand in the Secret that it names. */
  inSecret?: (secret: KubeObject) => boolean;
}

interface Wanted {
  audiences: readonly string[];
  bound?: Bound;
}

/** pkg/serviceaccount claims.go Claims */
export function writeClaims(
  account: KubeObject,
  { audiences, bound }: Wanted,
  times: Record<string, unknown>,
): Record<string, unknown> {
  const { namespace = "", name = "", uid = "" } = account.metadata;
  const own: Record<string, unknown> = { namespace, serviceaccount: { name, uid } };
  if (bound !== undefined) own[bound.kind.toLowerCase()] = { name: bound.name, uid: bound.uid };
  if (bound?.node !== undefined) own.node = bound.node;
  return {
    aud: audiences,
    "kubernetes.io": own,
    sub: `system:serviceaccount:${namespace}:${name}`,
    ...times,
  };
}

const legacyIssuer = "kubernetes/serviceaccount";
const legacy = (what: string): string => `kubernetes.io/serviceaccount/${what}`;

/** pkg/serviceaccount legacy.go LegacyClaims */
export function writeSecretClaims(account: KubeObject, secret: KubeObject): Record<string, unknown> {
  const { namespace = "", name = "", uid = "" } = account.metadata;
  return {
    iss: legacyIssuer,
    sub: `system:serviceaccount:${namespace}:${name}`,
    [legacy("namespace")]: namespace,
    [legacy("secret.name")]: secret.metadata.name,
    [legacy("service-account.name")]: name,
    [legacy("service-account.uid")]: uid,
  };
}

/** What a token says that carries our signature. */
export function readClaims(claims: JsonObject, token: string): TokenClaims | undefined {
  return claims.iss === legacyIssuer ? readSecretClaims(claims, token) : readBoundClaims(claims);
}

function readBoundClaims(claims: JsonObject): TokenClaims | undefined {
  const own = objectAt(claims, "kubernetes.io");
  const account = {
    namespace: textAt(own, "namespace"),
    name: textAt(own, "serviceaccount", "name"),
    uid: textAt(own, "serviceaccount", "uid"),
  };
  if (own === undefined || account.uid === "" || typeof claims.exp !== "number") return undefined;
  const audiences = Array.isArray(claims.aud) ? claims.aud.map(String) : [];
  return {
    user: userOf(account, extraOf(own, textAt(claims, "jti"))),
    audiences,
    account,
    expires: claims.exp,
    bound: boundOf(own),
  };
}

function boundOf(own: JsonObject): TokenClaims["bound"] {
  for (const kind of ["pod", "secret", "node"]) {
    const named = own[kind];
    if (isObject(named)) return { type: `/${kind}s`, name: textAt(named, "name"), uid: textAt(named, "uid") };
  }
  return undefined;
}

function extraOf(own: JsonObject, id: string): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  const add = (name: string, value: string): void => {
    if (value !== "") extra[`authentication.kubernetes.io/${name}`] = [value];
  };
  add("credential-id", id === "" ? "" : `JTI=${id}`);
  for (const kind of ["node", "pod"]) {
    add(`${kind}-name`, textAt(own, kind, "name"));
    add(`${kind}-uid`, textAt(own, kind, "uid"));
  }
  return extra;
}

function readSecretClaims(claims: JsonObject, token: string): TokenClaims | undefined {
  const account = {
    namespace: textAt(claims, legacy("namespace")),
    name: textAt(claims, legacy("service-account.name")),
    uid: textAt(claims, legacy("service-account.uid")),
  };
  if (account.uid === "") return undefined;
  const name = textAt(claims, legacy("secret.name"));
  return {
    user: userOf(account),
    // A Secret's token is meant for whoever asks (pkg/serviceaccount/jwt.go AuthenticateToken).
    audiences: ["https://kubernetes.default.svc"],
    account,
    expires: undefined,
    bound: { type: "/secrets", name, uid: undefined },
    inSecret: (secret) => Buffer.from(textAt(secret, "data", "token"), "base64").toString() === token,
  };
}

function userOf({ namespace, name, uid }: TokenClaims["account"], extra?: Record<string, string[]>): User {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    ...(extra && { extra }),
  };
}
