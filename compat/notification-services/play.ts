/** A case played by ours or by notifications-engine's own services. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import { GoTemplate, sprig } from "@capstan/go-template";
import { parseYaml } from "@capstan/model";
import {
  type CompileText,
  compileTemplate,
  createService,
  ServiceMemory,
} from "@capstan/notification-services";
import { realClock } from "@capstan/testkit";
import { RealPeer } from "../real-peer.ts";
import { type Case, type Outcome, placed, steady } from "./cases.ts";
import type { Recorder } from "./recorder.ts";

const compile: CompileText = (text, name) => {
  const template = new GoTemplate(text, { name, functions: sprig });
  return (vars) => template.execute(vars);
};

/** Seconds waited for another attempt are none here; deadlines are. */
const shortestDeadlineMs = 3_000;
const clock: Clock = {
  now: () => realClock.now(),
  sleep: (ms, signal) => realClock.sleep(ms < shortestDeadlineMs ? Math.min(ms, 5) : ms, signal),
};

/** `problems`: what each failure says is put there. */
export async function playOurs(one: Case, recorder: Recorder, problems: string[] = []): Promise<Outcome> {
  const { signal } = new AbortController();
  const memory = new ServiceMemory();
  recorder.play(one.script);
  const failed: boolean[] = [];
  for (const { recipient, template, vars } of one.sends) {
    const send = async () => {
      const printed = compileTemplate({ name: "tpl", template: parseYaml(template), compile }).format(vars);
      const service = createService({
        type: one.type,
        name: one.service,
        config: parseYaml(placed(one.config, recorder)),
        clock,
        memory,
        proxy: { http_proxy: recorder.address, https_proxy: recorder.address, no_proxy: "127.0.0.1" },
        authoritiesOf: () => recorder.authority,
      });
      await service.send(printed, recipient, { signal });
    };
    const isSent = await send().then(
      () => true,
      (error: unknown) => {
        problems.push(String(error));
        return false;
      },
    );
    failed.push(!isSent);
  }
  return steady({ requests: recorder.take(), failed }, recorder.address);
}

interface Question {
  readonly type: string;
  readonly service: string;
  readonly config: string;
  readonly name: string;
  readonly template: string;
  readonly vars: unknown;
  readonly recipient: string;
}

/** The program `notifications` of testenv, with the recorder between it and the rest of the world. */
export class RealServices implements AsyncDisposable {
  readonly #recorder: Recorder;
  readonly #folder: string;

  private constructor(recorder: Recorder, folder: string) {
    this.#recorder = recorder;
    this.#folder = folder;
  }

  static async start(recorder: Recorder): Promise<RealServices> {
    const folder = await mkdtemp(join(tmpdir(), "capstan-notifications-"));
    await writeFile(join(folder, "ca.pem"), recorder.authority);
    return new RealServices(recorder, folder);
  }

  /** In a process of its own: threads of Slack last as long as that. */
  async play(one: Case): Promise<Outcome> {
    const { address } = this.#recorder;
    const env = { SSL_CERT_FILE: join(this.#folder, "ca.pem"), HTTPS_PROXY: address };
    const peer = new RealPeer<Question, { error: string }>("notifications", env);
    this.#recorder.play(one.script);
    const failed: boolean[] = [];
    for (const { recipient, template, vars } of one.sends) {
      const config = placed(one.config, this.#recorder);
      const { type, service } = one;
      const answer = await peer.ask({ type, service, config, name: "tpl", template, vars, recipient });
      failed.push(answer === undefined || answer.error !== "");
    }
    peer.end();
    return steady({ requests: this.#recorder.take(), failed }, address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
