import type { AppProject } from "@capstan/model";
import type { Api } from "../../api.ts";
import { ApiError } from "../../api.ts";
import { type Command, defineCommand, ExitError, type Flags, type FlagValues } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";

/** What becomes of a project; without one nothing is sent. */
export interface Changed {
  readonly project?: AppProject;
  /** Printed afterwards, or at once where nothing is sent. */
  readonly says?: string;
  /** Said on standard error, before anything is sent. */
  readonly warnings?: readonly string[];
  /** What is asked of who wants to be asked, and what is said of a no. */
  readonly question?: string;
  readonly cancelled?: string;
}

interface Given<F extends Flags> {
  /** Behind the project's name. */
  readonly args: readonly string[];
  readonly flags: FlagValues<F>;
  readonly client: Api;
}

interface ProjectChange<F extends Flags> {
  readonly usage: string;
  readonly help: string;
  readonly examples?: readonly string[];
  readonly flags?: F;
  /** Fewest and most arguments behind the project's name. */
  readonly arity: readonly [number, number];
  change(project: AppProject, given: Given<F>): Changed | Promise<Changed>;
}

/** A command that reads a project, changes it and sends it back; once more when somebody else was faster. */
export function defineProjectChange<const F extends Flags>(record: ProjectChange<F>): Command {
  const [fewest, most] = record.arity;
  return defineCommand<Flags>({
    usage: record.usage,
    help: record.help,
    ...(record.examples ? { examples: record.examples } : {}),
    argument: "project",
    arity: [fewest + 1, most + 1],
    flags: record.flags ?? {},
    async run({ args: [name = "", ...args], flags, io, global, api }) {
      const client = await api();
      const given: Given<F> = { args, flags: flags as FlagValues<F>, client };
      const changed = await record.change(await client.call("getProject", { name }), given);
      for (const text of changed.warnings ?? []) io.err(`Warning: ${text}\n`);
      if (changed.question && !(await confirmIfEnabled(io, global, changed.question))) {
        io.out(`${changed.cancelled ?? "The command was cancelled."}\n`);
        return 0;
      }
      if (changed.project) await send(client, changed.project, (project) => record.change(project, given));
      if (changed.says) io.out(`${changed.says}\n`);
      return 0;
    },
  });
}

const conflictCodes = new Set([9, 10]);

async function send(
  client: Api,
  project: AppProject,
  again: (project: AppProject) => Changed | Promise<Changed>,
): Promise<void> {
  const { name } = project.metadata;
  try {
    await client.call("updateProject", { name, project });
  } catch (error) {
    if (!(error instanceof ApiError) || !conflictCodes.has(error.code)) throw error;
    const { project: next } = await again(await client.call("getProject", { name }));
    if (next) await client.call("updateProject", { name, project: next });
  }
}

/** With some fields of the specification in place of what was there; empty lists go. */
export function withSpec(project: AppProject, fields: Partial<AppProject["spec"]>): AppProject {
  const spec = Object.entries({ ...project.spec, ...fields }).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return { ...project, spec: Object.fromEntries(spec) };
}

/** One that a project already has, or has not: exit code 1, as argocd says it. */
export function refusal(sentence: string): ExitError {
  return new ExitError(sentence, 1);
}
