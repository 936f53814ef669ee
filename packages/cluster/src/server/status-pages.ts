import { createHash } from "node:crypto";
import { stringifyJson } from "@capstan/formats";
import type { Registry } from "../registry/registry.ts";
import { openapiV2, openapiV3, openapiV3Index } from "../schema/openapi.ts";
import type { TokenIssuer } from "../security/tokens.ts";
import { ApiError, type ApiResponse } from "../types.ts";
import { answerJson, answerNoPage, answerText } from "./answer.ts";
import type { Call } from "./call.ts";
import { parseAccept } from "./negotiate.ts";

export const version = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.3+capstan",
  gitCommit: "simulated by capstan, nothing runs",
  gitTreeState: "simulated",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: `node ${process.version}`,
  compiler: "capstan",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};

const healthPage = /^\/(?:healthz|livez|readyz)(?:\/[\w-]+)?$/;

/** The pages beside the API: version, health and OpenAPI. */
export class StatusPages {
  readonly #registry: Registry;
  readonly #tokens: TokenIssuer;
  #documents = new Map<string, string>();
  #generation = -1;

  constructor(registry: Registry, tokens: TokenIssuer) {
    this.#registry = registry;
    this.#tokens = tokens;
  }

  answer({ path, request, query }: Call): ApiResponse | undefined {
    if (path === "/version" || path === "/version/") return answerJson(version);
    if (healthPage.test(path)) {
      const text = query.has("verbose") ? `[+]ping ok\n[+]store ok\n${path.slice(1)} check passed\n` : "ok";
      return answerText(text, 200, "text/plain; charset=utf-8");
    }
    if (path === "/openid/v1/jwks")
      return answerText(stringifyJson(this.#tokens.keys()), 200, "application/jwk-set+json");
    if (path === "/.well-known/openid-configuration") return this.#openidConfiguration(request.headers.host);
    if (!path.startsWith("/openapi/")) return undefined;
    requireJson(request.headers.accept);
    const text = this.#document(path);
    return text === undefined ? answerNoPage() : answerText(text);
  }

  /** How others check service account tokens (pkg/serviceaccount/openidmetadata.go). */
  #openidConfiguration(host: string | undefined): ApiResponse {
    return answerJson({
      issuer: this.#tokens.audience,
      jwks_uri: `https://${host ?? "kubernetes.default.svc"}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    });
  }

  /** These documents are large: each is written once, until what is served changes. */
  #document(path: string): string | undefined {
    if (this.#generation !== this.#registry.generation) {
      this.#documents = new Map();
      this.#generation = this.#registry.generation;
    }
    const known = this.#documents.get(path);
    if (known !== undefined) return known;
    const document = this.#make(path);
    if (document === undefined) return undefined;
    const text = stringifyJson(document);
    this.#documents.set(path, text);
    return text;
  }

  #make(path: string): Record<string, unknown> | undefined {
    const crds = this.#registry.crds();
    if (path === "/openapi/v2") return openapiV2(crds);
    if (path === "/openapi/v3") return this.#index();
    const groupVersion = /^\/openapi\/v3\/apis?\/(.+)$/.exec(path)?.[1];
    return groupVersion === undefined ? undefined : openapiV3(groupVersion, crds);
  }

  /** Clients cache a document by the hash in its URL. */
  #index(): Record<string, unknown> {
    const stamp = createHash("sha256")
      .update(stringifyJson(this.#registry.crds()))
      .digest("hex")
      .toUpperCase();
    const { paths } = openapiV3Index(this.#registry.crds());
    const names = typeof paths === "object" && paths !== null ? Object.keys(paths) : [];
    const entries = names.map((name) => [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${stamp}` }]);
    return { paths: Object.fromEntries(entries) };
  }
}

function requireJson(accept: string | undefined): void {
  const served = ["application/json", "*/*", "application/*"];
  if (parseAccept(accept).some(({ media }) => served.includes(media))) return;
  throw new ApiError(
    406,
    "NotAcceptable",
    "406: Not Acceptable\n\nAvailable representations: application/json",
    {},
  );
}
