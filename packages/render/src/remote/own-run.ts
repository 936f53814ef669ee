import type { MessageInitShape } from "@bufbuild/protobuf";
import { CapstanError, isCapstanError, messageOf } from "@capstan/model";
import type { GeneratedManifest, Log } from "@capstan/plugin-kit";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import type { ObjectSource } from "../transfer/object-source.ts";
import { BadAnswer } from "./bad-answer.ts";
import { objectMessages } from "./object-messages.ts";
import type { CallLimits } from "./plugin-pool.ts";
import { readManifest } from "./read-manifest.ts";
import { readRunFailure } from "./read-run-failure.ts";
import type { Rpc } from "./rpc.ts";

export type StartInit = MessageInitShape<typeof pluginV1.StartSchema>;
type Message = MessageInitShape<typeof pluginV1.RunRequestSchema>["message"] & object;

export interface OwnRun {
  plugin: string;
  start: StartInit;
  /** JSON of the manifests to transform. */
  manifests: readonly string[];
  objects: ObjectSource;
  /** Counts content that goes out. */
  sent(bytes: number): void;
  credentials(repository: string | undefined): Promise<Readonly<Record<string, string>>>;
  log: Log;
  maxOutputBytes: number;
  /** Of everything together that may be asked for at one moment. */
  maxWanted: number;
}

export interface OwnAnswer {
  manifests: GeneratedManifest[];
  files: pluginV1.FileChange[];
  announced: pluginV1.Announced["parameters"];
  done: pluginV1.Done;
}

const manifestsAtOnce = 200;
const keptLogLines = 1_000;

/** One run of a plugin over capstan.plugin.v1: says what is to be done, gives what is asked for, gathers what is made. */
export async function runOwn(rpc: Rpc, run: OwnRun, limits: CallLimits): Promise<OwnAnswer> {
  const ended = new AbortController();
  const signal = AbortSignal.any([limits.signal, ended.signal]);
  const stream = rpc.own.run({ ...limits, signal });
  const send = (message: Message) => stream.send({ message });
  const gathered = new Gathered(run);
  let sending = sendInput(run, send);
  let wanted = 0;
  try {
    for await (const { message } of stream) {
      switch (message.case) {
        case "want": {
          const { ids } = message.value;
          wanted += ids.length;
          if (wanted > run.maxWanted)
            throw garbage(run, `it asks for more than ${run.maxWanted} objects at once`);
          sending = sending.then(async () => {
            for await (const objects of objectMessages(run.objects, ids, run.sent))
              await send({ case: "objects", value: objects });
            wanted -= ids.length;
          });
          break;
        }
        case "wantCredentials": {
          const { repository } = message.value;
          sending = sending.then(async () => send(await credentialsMessage(run, repository)));
          break;
        }
        case "done":
          return gathered.finish(message.value);
        default:
          gathered.add(message);
      }
      sending.catch((error: unknown) => ended.abort(error));
    }
    throw garbage(run, "it ended without an answer");
  } catch (error) {
    throw ended.signal.aborted && !limits.signal.aborted ? ended.signal.reason : error;
  } finally {
    ended.abort(new Error("the run has ended"));
    await sending.catch(() => undefined);
  }
}

async function sendInput(
  { start, manifests }: OwnRun,
  send: (message: Message) => Promise<void>,
): Promise<void> {
  await send({ case: "start", value: start });
  for (let at = 0; at < manifests.length; at += manifestsAtOnce) {
    const group = manifests.slice(at, at + manifestsAtOnce).map((json) => ({ json }));
    await send({ case: "manifests", value: { manifests: group } });
  }
  await send({ case: "inputEnd", value: {} });
}

async function credentialsMessage(
  { credentials, log, plugin }: OwnRun,
  repository: string,
): Promise<Message> {
  try {
    const env = await credentials(repository === "" ? undefined : repository);
    const entries = Object.entries(env).map(([name, value]) => ({ name, value }));
    return { case: "credentials", value: { repository, env: entries } };
  } catch (error) {
    if (!isCapstanError(error)) throw error;
    log.warn({ plugin, repository, error }, "a plugin was refused a repository's credentials");
    return { case: "credentials", value: { repository, refused: messageOf(error) } };
  }
}

function garbage({ plugin }: OwnRun, problem: string): CapstanError {
  return new CapstanError({ code: "PLUGIN_FAILED", plugin, problem }, new BadAnswer(problem));
}

/** What comes back, within limits. */
class Gathered {
  readonly #run: OwnRun;
  readonly #answer: Omit<OwnAnswer, "done"> = { manifests: [], files: [], announced: [] };
  #bytes = 0;
  #lines = 0;

  constructor(run: OwnRun) {
    this.#run = run;
  }

  add(message: pluginV1.RunResponse["message"]): void {
    switch (message.case) {
      case "manifests":
        for (const manifest of message.value.manifests) {
          this.#count(manifest.json.length);
          this.#answer.manifests.push(
            readManifest(this.#run.plugin, manifest, this.#answer.manifests.length),
          );
        }
        return;
      case "files":
        for (const change of message.value.changes) {
          this.#count(change.data.length + change.path.length);
          this.#answer.files.push(change);
        }
        return;
      case "announced":
        this.#answer.announced = message.value.parameters;
        return;
      case "log":
        this.#count(message.value.text.length);
        if (this.#lines++ < keptLogLines)
          this.#run.log.info(
            { plugin: this.#run.plugin, text: message.value.text.slice(0, 4_000) },
            "plugin says",
          );
    }
  }

  finish(done: pluginV1.Done): OwnAnswer {
    if (done.failure) throw readRunFailure(this.#run.plugin, done.failure);
    return { ...this.#answer, done };
  }

  #count(bytes: number): void {
    const { plugin, maxOutputBytes: limitBytes } = this.#run;
    this.#bytes += bytes;
    if (this.#bytes > limitBytes)
      throw new CapstanError(
        { code: "OUTPUT_TOO_LARGE", what: `plugin ${plugin}`, limitBytes },
        new BadAnswer("it sends more than is taken"),
      );
  }
}
