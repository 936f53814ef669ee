import type { MessageInitShape } from "@bufbuild/protobuf";
import { stringifyJson } from "@capstan/formats";
import { CapstanError, type Failure, isCapstanError, messageOf } from "@capstan/model";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import type { Call, Handlers } from "../rpc/service-types.ts";
import { callName, type PluginDescription, type ServedPlugin } from "../served-plugin.ts";
import { CommandFailed, showArgv } from "../sidecar/command-failed.ts";
import { KeptSources } from "./kept-sources.ts";
import { performRun } from "./perform-run.ts";
import { RunConversation, type RunStream } from "./run-conversation.ts";
import { deadlineSignal, type ServiceSettings } from "./stock-service.ts";
import { WaitingSandboxes } from "./waiting-sandboxes.ts";

/** Capstan's protocol for all plugins of an address. */
export function pluginService(
  plugins: () => readonly ServedPlugin[],
  settings: ServiceSettings,
): Handlers<typeof pluginV1.PluginService> {
  const sources = new KeptSources(settings);
  const sandboxes = new WaitingSandboxes(settings);
  return {
    async describe() {
      const found = await Promise.all(plugins().map((plugin) => plugin.describe()));
      return { plugins: found.map((one) => describeOnWire(one, settings)) };
    },
    run: (stream, call) => answerRun({ stream, call, plugins: plugins(), sources, sandboxes }, settings),
  };
}

interface RunRequested {
  stream: RunStream;
  call: Call;
  plugins: readonly ServedPlugin[];
  sources: KeptSources;
  sandboxes: WaitingSandboxes;
}

/** A run that fails ends as an answer, so that its code and facts reach the caller. */
async function answerRun(
  { stream, call, plugins, sources, sandboxes }: RunRequested,
  settings: ServiceSettings,
): Promise<void> {
  using budget = deadlineSignal(call, settings.clock);
  const conversation = new RunConversation(stream);
  const start = await conversation.start();
  try {
    const plugin = await findPlugin(plugins, start.plugin);
    await performRun({ conversation, start, plugin, signal: budget.signal, sources, sandboxes }, settings);
  } catch (error) {
    if (call.signal.aborted) throw error;
    settings.log.warn({ plugin: start.plugin, application: start.application, error }, "run failed");
    await conversation.send({ case: "done", value: { failure: failureOnWire(error, start.plugin) } });
  }
}

async function findPlugin(plugins: readonly ServedPlugin[], name: string): Promise<ServedPlugin> {
  const available: string[] = [];
  for (const plugin of plugins) {
    const description = await plugin.describe();
    if (description.name === name || callName(description) === name) return plugin;
    available.push(callName(description));
  }
  throw new CapstanError({ code: "PLUGIN_MISSING", plugin: name, available });
}

function failureOnWire(error: unknown, plugin: string): MessageInitShape<typeof pluginV1.FailureSchema> {
  const failure = failureOf(error, plugin);
  const { code, ...facts } = failure;
  const message = error instanceof CommandFailed ? error.message : new CapstanError(failure).message;
  return { code, factsJson: stringifyJson(facts), message };
}

function failureOf(error: unknown, plugin: string): Failure {
  if (isCapstanError(error)) return error.failure;
  if (!(error instanceof CommandFailed)) return { code: "PLUGIN_FAILED", plugin, problem: messageOf(error) };
  const { argv, exitCode, stderr } = error;
  return { code: "TOOL_FAILED", tool: argv[0] ?? plugin, command: showArgv(argv), exitCode, stderr };
}

function describeOnWire(
  plugin: PluginDescription,
  { limits }: ServiceSettings,
): MessageInitShape<typeof pluginV1.PluginSchema> {
  const { discovery, inputs, parameters, shapes, concurrency = 0, notes = [], ...same } = plugin;
  return {
    ...same,
    shapes: [...shapes],
    notes: [...notes],
    parameters: [...parameters],
    ...(discovery ? { discovery } : {}),
    ...(inputs ? { inputs: { ...inputs, globs: [...(inputs.globs ?? [])] } } : {}),
    limits: {
      concurrency,
      maxTreeBytes: BigInt(limits.maxTreeBytes),
      maxTreeFiles: BigInt(limits.maxTreeFiles),
      maxOutputBytes: 0n,
    },
  };
}
