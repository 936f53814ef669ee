import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type LoopbackServer, startLoopbackServer } from "./loopback-server.ts";

/** Gives tokens as GitHub, Google and Azure do by their published descriptions, to whoever asks as these want it. */
export interface TokenIssuer extends LoopbackServer {
  /** PEM of the key whose signatures it believes. */
  readonly privateKey: string;
  /** `METHOD path` of what was asked. */
  readonly asked: readonly string[];
  /** What was wrong with requests that it refused. */
  readonly refused: readonly string[];
}

export interface TokenIssuerOptions {
  /** The token that it gives. */
  readonly token: string;
  /** Of what it gives. */
  readonly lifetimeMs: number;
  now(): number;
}

export const issuerFacts = {
  appId: "4711",
  installation: "42",
  email: "fetcher@project.iam.example.com",
  tenant: "tenant-1",
  client: "client-1",
  assertion: "the-pod's-token",
} as const;

const maxBody = 65_536;

export async function startTokenIssuer(options: TokenIssuerOptions): Promise<TokenIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const asked: string[] = [];
  const refused: string[] = [];
  const check = { publicKey, now: () => Math.floor(options.now() / 1000) };
  const server = await startLoopbackServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    void readForm(request).then((form) => {
      const problem = problemOf(request, form, { ...check, url: server.url });
      const ends = options.now() + options.lifetimeMs;
      const github = { token: options.token, expires_at: new Date(ends).toISOString() };
      const others = {
        access_token: options.token,
        expires_in: options.lifetimeMs / 1000,
        token_type: "Bearer",
      };
      if (problem !== undefined) refused.push(problem);
      const body = problem ?? (request.url?.startsWith("/app/") ? github : others);
      const status = problem === undefined ? (body === github ? 201 : 200) : 401;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  return { ...server, privateKey, asked, refused };
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const piece of request) if (text.length < maxBody) text += piece;
  return new URLSearchParams(text);
}

interface Check {
  readonly publicKey: string;
  readonly url: string;
  /** Seconds since 1970. */
  now(): number;
}

function problemOf(
  { method, url, headers }: IncomingMessage,
  form: URLSearchParams,
  check: Check,
): string | undefined {
  if (method !== "POST") return "it is no POST";
  const { appId, installation, email, tenant, client, assertion } = issuerFacts;
  if (url === `/app/installations/${installation}/access_tokens`) {
    const claims = claimsOf(headers.authorization?.replace(/^Bearer /, ""), check);
    if (typeof claims === "string") return claims;
    return claims.iss === appId && claims.exp - claims.iat <= 600 ? undefined : "other claims are needed";
  }
  if (url === "/token") {
    if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") return "no grant is named";
    const claims = claimsOf(form.get("assertion") ?? undefined, check);
    if (typeof claims === "string") return claims;
    const isRight =
      claims.iss === email && claims.aud === `${check.url}/token` && /cloud-platform/.test(claims.scope);
    return isRight && claims.exp - claims.iat <= 3600 ? undefined : "other claims are needed";
  }
  if (url !== `/${tenant}/oauth2/v2.0/token`) return `nothing is at ${url}`;
  const wanted = {
    grant_type: "client_credentials",
    client_id: client,
    scope: "499b84ac-1321-427f-aa17-267ca6975798/.default",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  };
  const missing = Object.entries(wanted).find(([name, value]) => form.get(name) !== value);
  return missing && `${missing[0]} is another`;
}

interface Claims {
  readonly iss: string;
  readonly aud: string;
  readonly scope: string;
  readonly iat: number;
  readonly exp: number;
}

/** Of a token whose signature and times hold; else what is wrong with it. */
function claimsOf(token: string | undefined, { publicKey, now }: Check): Claims | string {
  const [head = "", body = "", signature = ""] = token?.split(".") ?? [];
  const signed = Buffer.from(`${head}.${body}`);
  const key = createPublicKey(publicKey);
  if (!verify("RSA-SHA256", signed, key, Buffer.from(signature, "base64url")))
    return "the signature is another's";
  const { alg } = JSON.parse(Buffer.from(head, "base64url").toString());
  const claims: Claims = JSON.parse(Buffer.from(body, "base64url").toString());
  if (alg !== "RS256") return "another algorithm is named";
  return claims.iat <= now() && claims.exp > now() ? claims : "it does not hold now";
}
