import { type Application, type ApplicationSet, CapstanError } from "@capstan/model";
import { forPeople, generateSet } from "@capstan/planning";
import type { HandlerOf } from "../../call.ts";
import { findRules } from "../access/find-project.ts";
import type { ApiContext } from "../context.ts";
import { readWanted } from "./check-application-set.ts";
import type { ApplicationSetNeeds } from "./find-application-set.ts";
import { requireHostRights } from "./require-host-rights.ts";

export type GeneratingNeeds = ApplicationSetNeeds & Pick<ApiContext, "repo" | "hosts">;

/** Asked for rights and looked through as for a creation; then what the controller would make of it. */
export function generateApplicationSet(context: GeneratingNeeds): HandlerOf<"generateApplicationSet"> {
  return async ({ applicationSet }, { user, signal }) => {
    const wanted = readWanted(context, applicationSet, user);
    await requireHostRights(context, wanted, { user, signal });
    const made = await applicationsOf(context, wanted, signal);
    return { applications: made.map((one) => placedAs(one, applicationSet)) };
  };
}

/** In the namespace that the caller named; what he named none for has none, as in Argo CD. */
export function placedAs<Placed extends Application | ApplicationSet>(
  object: Placed,
  asked: ApplicationSet | undefined,
): Placed {
  const { namespace: _, ...metadata } = object.metadata;
  const named = asked?.metadata?.namespace;
  return { ...object, metadata: named ? { ...metadata, namespace: named } : metadata };
}

/** Rejects with what the set's condition would say. */
export async function applicationsOf(
  context: GeneratingNeeds,
  set: ApplicationSet,
  signal: AbortSignal,
): Promise<Application[]> {
  const findProject = (name: string) => findRules(context, name);
  const generated = await generateSet({ ...context, findProject }, { set, ...forPeople }, signal);
  if (generated.kind === "made") return generated.applications.map(({ application }) => application);
  throw notGenerated(set, generated.message);
}

export function notGenerated({ metadata }: ApplicationSet, problem: string): CapstanError {
  return new CapstanError({ code: "FAILED_PRECONDITION", what: `ApplicationSet ${metadata.name}`, problem });
}
