import type { Duplex } from "node:stream";
import { type EndedStep, traceIdOf, traceparent } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import type { RenderMetrics, RepoServerOptions } from "@capstan/render";
import type { RepoServer, RepoServerSetup, RepoServerState, SecretRef } from "@capstan/wire";
import { Peer } from "./peer.ts";
import { type Counted, maxCalls, maxFrameBytes, type Told } from "./repo-calls.ts";
import { methodsOf } from "./repo-methods.ts";

type Log = RepoServerOptions["log"];

/** What the process that holds the cluster gives to the one that renders. */
export interface RepoSurroundings {
  readonly setup: RepoServerSetup;
  /** As it is now. */
  state(): RepoServerState;
  /** Asks the other side, which decides. */
  readSecret(ref: SecretRef, signal: AbortSignal): Promise<Record<string, string> | undefined>;
  readonly log: Log;
  readonly metrics: RenderMetrics;
  /** Tells a step that has ended, to be called where the set-up asks for it. */
  tellStep(step: EndedStep): void;
}

type Opened = RepoServer & AsyncDisposable;

/** Serves one caller until it goes away; what is opened for it is closed then. */
export async function serveRepoServer(
  stream: Duplex,
  open: (surroundings: RepoSurroundings) => Promise<Opened>,
  underWay?: (calls: number) => void,
): Promise<void> {
  const opening = Promise.withResolvers<Opened>();
  opening.promise.catch(() => undefined); // whoever asks is told
  const state: { -readonly [Key in keyof RepoServerState]: RepoServerState[Key] } = {
    pipelines: [],
    pluginServices: [],
    pluginAccess: {},
  };
  const ended = Promise.withResolvers<void>();
  const peer = new Peer(stream, {
    methods: { ...methodsOf(opening.promise), open: (setup: RepoServerSetup) => begin(setup) },
    told: {
      state: (changed: Told["state"]) => Object.assign(state, changed),
      forget: ({ url }: Told["forget"]) => {
        opening.promise.then((repo) => repo.forgetRevisions(url)).catch(() => undefined); // it forgets nothing
      },
    },
    maxFrameBytes,
    maxCalls,
    ...(underWay && { underWay }),
    lost: () => new CapstanError({ code: "UNAVAILABLE", what: "the caller", problem: "it has gone away" }),
    onEnd: () => ended.resolve(),
  });
  const begin = async (setup: RepoServerSetup): Promise<void> => {
    const readSecret = (ref: SecretRef, signal: AbortSignal) => peer.call("readSecret", ref, { signal });
    const told = { log: logOf(peer), metrics: metricsOf(peer), tellStep: inTurns<EndedStep>(peer, "steps") };
    const given = { setup, state: () => state, ...told };
    opening.resolve(open({ ...given, readSecret: (ref, signal) => readSecret(ref, signal).then(readTexts) }));
    await opening.promise;
  };
  await ended.promise;
  opening.reject(new Error("the caller has gone away"));
  const repo = await opening.promise.catch(() => undefined);
  await repo?.[Symbol.asyncDispose]();
}

function logOf(peer: Peer): Log {
  const at = (level: Told["log"]["level"]) => (facts: object, message: string) => {
    const shown = Object.entries(facts).map(([name, value]) => [
      name,
      value instanceof Error ? value.message : value,
    ]);
    const trace = traceIdOf(traceparent());
    const of = trace === undefined ? {} : { trace };
    peer.tell("log", { level, message, facts: { ...Object.fromEntries(shown), ...of } });
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** What is told in one turn goes in one message. */
function inTurns<One>(peer: Peer, name: keyof Told): (one: One) => void {
  let all: One[] = [];
  return (one) => {
    all.push(one);
    if (all.length > 1) return;
    setImmediate(() => {
      peer.tell(name, all);
      all = [];
    });
  };
}

function metricsOf(peer: Peer): RenderMetrics {
  const count = inTurns<Counted>(peer, "counted");
  return {
    queue: (...args) => count({ name: "queue", args }),
    answered: (...args) => count({ name: "answered", args }),
    rendered: (...args) => count({ name: "rendered", args }),
    failed: (...args) => count({ name: "failed", args }),
    git: (...args) => count({ name: "git", args }),
    oci: (...args) => count({ name: "oci", args }),
    // Counted where they are asked.
    pending: () => undefined,
    sent: (...args) => count({ name: "sent", args }),
  };
}

function readTexts(value: unknown): Record<string, string> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}
