import type { KubeRequest, KubeResponse, Transport } from "./transport.ts";

const reading: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** Questions that are asked by creating something that is kept nowhere. */
const questions = /^\/apis\/authorization\.k8s\.io\/v1\/selfsubject(access|rules)reviews$/;
const changing: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

interface Leave {
  /** Also changes that the cluster is asked to try only (dryRun=All). */
  readonly dryRuns?: boolean;
}

/**
 * Sends on what changes nothing. All else is answered here as the cluster answers whoever lacks the right to it, so that
 * whatever works on it takes it for a credential that may only read. There are no sockets: what is run in a Pod may
 * change anything.
 */
export function readOnlyTransport(transport: Transport, { dryRuns = false }: Leave = {}): Transport {
  return async (request) => (isHarmless(request, dryRuns) ? transport(request) : refusal(request));
}

function isHarmless({ method, url }: KubeRequest, dryRuns: boolean): boolean {
  const { pathname, searchParams } = new URL(url, "http://cluster");
  if (isProxy(pathname)) return false;
  if (reading.has(method)) return true;
  if (method === "POST" && questions.test(pathname)) return true;
  const tries = searchParams.getAll("dryRun");
  return dryRuns && changing.has(method) && tries.length > 0 && tries.every((one) => one === "All");
}

/** Whatever the method is, it reaches a program of the cluster, or runs one. */
function isProxy(pathname: string): boolean {
  return /\/(?:proxy|exec|attach|portforward)(?:\/|$)/.test(pathname);
}

function refusal({ method, url }: KubeRequest): KubeResponse {
  const [path] = url.split("?");
  const message = `${method} ${path} was not sent: only reading is allowed here`;
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403 };
  return {
    status: 403,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...status, message }),
  };
}
