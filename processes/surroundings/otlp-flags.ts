import { type Flags, type FlagValues, UsageError } from "@capstan/cli/record";

/** As Argo CD's programs have them; `env`: what its variables begin with. */
export const otlpFlags = (env: string) =>
  ({
    "otlp-address": {
      kind: "string",
      value: "HOST:PORT",
      help: "Collector to which traces are sent by OTLP over gRPC (port 4317), or over HTTP where a URL stands here (http://HOST:4318); without one nothing is traced",
      env: `${env}_OTLP_ADDRESS`,
    },
    "otlp-insecure": {
      kind: "boolean",
      help: "HOST:PORT speaks no TLS; --otlp-insecure=false where it does (default: true)",
      env: `${env}_OTLP_INSECURE`,
    },
    "otlp-headers": {
      kind: "list",
      value: "NAME=VALUE",
      help: "Further headers of what is sent to it",
      env: `${env}_OTLP_HEADERS`,
    },
    "otlp-attrs": {
      kind: "list",
      value: "NAME:VALUE",
      help: "Further attributes of all that is traced",
      env: `${env}_OTLP_ATTRS`,
    },
    "otlp-sample-ratio": {
      kind: "string",
      value: "RATIO",
      help: "How many of the traces that begin here are followed, from 0 to 1",
      byDefault: "1",
      env: `${env}_OTLP_SAMPLE_RATIO`,
    },
  }) as const satisfies Flags;

export type OtlpFlagValues = FlagValues<ReturnType<typeof otlpFlags>>;

/** Where traces go, and which. */
export interface OtlpPlace {
  /** By gRPC where it says grpc:, or grpcs: over TLS; else by HTTP. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, string>>;
  readonly ratio: number;
}

/** Undefined where nothing is to be traced. */
export function readOtlp(flags: OtlpFlagValues): OtlpPlace | undefined {
  const given = flags["otlp-address"];
  if (!given) return undefined;
  return {
    url: readAddress(given, flags["otlp-insecure"] !== false),
    headers: readHeaders(flags["otlp-headers"]),
    attributes: pairs(flags["otlp-attrs"], ":", "--otlp-attrs"),
    ratio: readRatio(flags["otlp-sample-ratio"] || "1"),
  };
}

function readAddress(given: string, insecure: boolean): URL {
  const isUrl = /^https?:\/\//.test(given);
  const text = isUrl ? given : `http://${given}`;
  if (!URL.canParse(text))
    throw new UsageError(`--otlp-address: it is no address: write HOST:PORT, or http://HOST:PORT for HTTP`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw new UsageError(
      "--otlp-address: what proves who sends belongs into --otlp-headers, or into its variable",
    );
  if (!isUrl) {
    if (url.pathname !== "/" || url.port === "")
      throw new UsageError(`--otlp-address: "${given}" is not HOST:PORT`);
    return new URL(`${insecure ? "grpc" : "grpcs"}://${url.host}`);
  }
  // As OTEL_EXPORTER_OTLP_ENDPOINT has it: what is given is the place below which traces have theirs.
  const below = url.pathname.replace(/\/+$/, "");
  url.pathname = below.endsWith("/v1/traces") ? below : `${below}/v1/traces`;
  return url;
}

/** Those of HTTP/2 alone, and those that belong to the sending, are not to be set. */
function readHeaders(texts: readonly string[] | undefined): Record<string, string> {
  const headers = pairs(texts, "=", "--otlp-headers");
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      throw new UsageError(`--otlp-headers: "${name}" is no header, or what it is to be cannot stand in one`);
  }
  return headers;
}

function readRatio(text: string): number {
  const ratio = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || ratio > 1)
    throw new UsageError(`--otlp-sample-ratio: "${text}" is not a number from 0 to 1`);
  return ratio;
}

function pairs(texts: readonly string[] = [], sign: string, flag: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(sign);
      if (at <= 0) throw new UsageError(`${flag}: a part of it is not NAME${sign}VALUE`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}
