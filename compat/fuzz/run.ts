/**
 * `node compat/fuzz/run.ts [--count 100000] [--seed N] [--beside]`: requests made at random, by REST and by gRPC-web, as
 * the admin of a running `capstan up`. Each is answered with a status and, where it is refused, a sentence; none ends the
 * process, shows a stack trace or is an internal error. --beside asks the real argocd-server for whatever is answered
 * with code 13: it must say the same.
 */
import { isRecord } from "@capstan/formats";
import { startCapstan } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { Dice } from "../dice.ts";
import { type Beside, startBeside } from "./beside.ts";
import { type FuzzedRequest, nextRequest } from "./requests.ts";

const { values: flags } = programFlags({
  options: {
    count: { type: "string", default: "100000" },
    seed: { type: "string", default: String(1 + (Date.now() % 1_000_000)) },
    parallel: { type: "string", default: "16" },
    beside: { type: "boolean", default: false },
  },
});

const limitMs = 60_000;
const internalError = /internal(?: |%20)error(?::|%3A)(?: |%20)see/i;
const stackTrace = /\n\s+at |\.ts:\d+|node:internal/;

/** What protobuf forbids and the code that gogo/protobuf makes for Argo CD's server does not look at. */
const looserInGo = /varint overflows uint32|not valid for encoding utf-8|invalid end group tag/;

interface Verdict {
  readonly status: string;
  /** Of gRPC: what it says of a refusal. */
  readonly message?: string;
  readonly problem?: string;
}

async function send(url: string, token: string, request: FuzzedRequest): Promise<Verdict> {
  const { method, path, headers, body, form } = request;
  const answer = await fetch(url + path, {
    method,
    headers: { ...headers, authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(limitMs),
    ...(body === undefined ? {} : { body }),
  });
  const text = Buffer.from(await answer.arrayBuffer()).toString("utf8");
  const verdict = form === "rest" ? judgeRest(answer, text) : judgeRpc(answer, text);
  return stackTrace.test(text) ? { ...verdict, problem: "shows a stack trace" } : verdict;
}

function judgeRest({ status }: Response, text: string): Verdict {
  const said = `REST ${status}`;
  if (status < 400) return { status: said };
  if (status === 500) return { status: said, problem: "is an internal error" };
  const message = sentenceOf(text);
  return message ? { status: said } : { status: said, problem: "is refused without a sentence" };
}

function sentenceOf(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body.message : undefined;
  } catch {
    return undefined;
  }
}

/** The status stands in the headers, or in the last frame. */
function statusOf({ status, headers }: Response, text: string): string {
  const code = headers.get("grpc-status") ?? /grpc-status: ?(\d+)/i.exec(text)?.[1];
  return `gRPC ${code ?? `HTTP ${status}`}`;
}

function judgeRpc(answer: Response, text: string): Verdict {
  const { status, headers } = answer;
  const said = statusOf(answer, text);
  // What is no gRPC-web at all is refused by HTTP's own status.
  if (said.startsWith("gRPC HTTP"))
    return status >= 400 && status < 500 ? { status: said } : { status: said, problem: "has no status" };
  // Code 13 is also that of bytes that are no message (grpc-go's server, recvAndDecompress; --beside asks it); ours says
  // another thing.
  // What a request made at random is told of itself may be percent-encoded bytes that are no UTF-8: it is not decoded.
  const message = headers.get("grpc-message") ?? text;
  return internalError.test(message)
    ? { status: said, problem: "is an internal error" }
    : { status: said, message: message.replaceAll("%20", " ") };
}

async function compareBeside(
  beside: Beside | undefined,
  request: FuzzedRequest,
  verdict: Verdict,
): Promise<Verdict> {
  if (!beside || verdict.problem || verdict.status !== "gRPC 13") return verdict;
  const real = await beside.statusOf(request);
  if (real === undefined || real === verdict.status)
    return { status: `${verdict.status}, and ${real ?? "its end"} there` };
  return looserInGo.test(verdict.message ?? "")
    ? { status: `${verdict.status}, of what Go does not look at` }
    : { ...verdict, problem: `is called ${real} by argocd-server` };
}

async function logIn(capstan: Awaited<ReturnType<typeof startCapstan>>): Promise<string> {
  const { body } = await capstan.api("POST", "/api/v1/account/admin/token", {});
  if (isRecord(body) && typeof body.token === "string") return body.token;
  throw new Error(`no token: ${JSON.stringify(body)}`);
}

async function main(): Promise<number> {
  const count = wholeNumber("count", flags.count);
  const seed = wholeNumber("seed", flags.seed);
  const parallel = wholeNumber("parallel", flags.parallel);
  console.log(`${count} requests, --seed ${seed}`);
  await using capstan = await startCapstan({ flags: ["--no-samples"] });
  const metadata = { name: "argocd-cm", namespace: "argocd" };
  await capstan.kube.patch(
    { apiVersion: "v1", kind: "ConfigMap", ...metadata },
    { type: "merge", body: { data: { "accounts.admin": "apiKey, login" } } },
    { signal: AbortSignal.timeout(limitMs) },
  );
  const token = await logIn(capstan);
  await using beside = flags.beside ? await startBeside(statusOf) : undefined;
  const dice = new Dice(seed);
  const chance = () => dice.next();
  const statuses = new Map<string, number>();
  const problems: string[] = [];
  let sent = 0;
  const work = async () => {
    while (sent < count) {
      sent += 1;
      const request = nextRequest(chance);
      const asked = `${request.form} ${request.method} ${request.path.slice(0, 200)}`;
      const { status, problem } = await send(capstan.url, token, request)
        .then((verdict) => compareBeside(beside, request, verdict))
        .catch((error: unknown) => ({ status: "no answer", problem: `has no answer: ${String(error)}` }));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (problem && problems.length < 50) {
        const body = Buffer.from(request.body ?? "").toString(request.form === "rest" ? "utf8" : "base64");
        problems.push(`${asked} ${problem} (${status})\n    ${body.slice(0, 400)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  const health = await fetch(`${capstan.url}/healthz`);
  for (const [status, times] of [...statuses].sort()) console.log(`${status.padEnd(20)} ${times}`);
  console.log(problems.join("\n"));
  const isFine = problems.length === 0 && health.ok;
  console.log(isFine ? "all were answered with a status and a sentence" : `${problems.length} problems`);
  return isFine ? 0 : 1;
}

process.exitCode = await main();
