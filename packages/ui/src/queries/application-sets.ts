import { type ApplicationSet, deletionHeldCondition } from "@capstan/model";
import { routes } from "@capstan/wire";
import { useQuery } from "@tanstack/react-query";
import type { AppRef } from "../paths.ts";
import { ask } from "./ask.ts";
import { call } from "./client.ts";
import { queryClient } from "./query-client.ts";

/** A set changes when a person, a repository or a cluster does: seldom enough to be asked for. */
const againMs = 5_000;

const requestOf = ({ namespace, name }: AppRef) => ({ name, appsetNamespace: namespace });

export const useApplicationSets = () =>
  useQuery({ ...ask(routes.listApplicationSets, {}), refetchInterval: againMs });

export const useApplicationSet = (set: AppRef) =>
  useQuery({ ...ask(routes.getApplicationSet, requestOf(set)), refetchInterval: againMs });

type Condition = NonNullable<
  NonNullable<NonNullable<ReturnType<typeof useApplicationSet>["data"]>["status"]>["conditions"]
>[number];

/** What the controller would do now; asked anew whenever the set says something else, or `age` is another. */
export const useSetDiff = (set: AppRef, ...age: readonly unknown[]) =>
  useQuery({ ...ask(routes.diffApplicationSet, requestOf(set), ...age), retry: false });

/** What would be done if this were written. */
export const useWantedDiff = (applicationSet: ApplicationSet) =>
  useQuery({ ...ask(routes.diffApplicationSet, { applicationSet }), retry: false, staleTime: 0 });

/** Creates it, or writes it over the one of its name. */
export async function writeApplicationSet(applicationset: ApplicationSet, upsert: boolean): Promise<void> {
  await call(routes.createApplicationSet, { applicationset, upsert });
  await forgetSets();
}

export async function deleteApplicationSet(set: AppRef): Promise<void> {
  await call(routes.deleteApplicationSet, requestOf(set));
  await forgetSets();
}

async function forgetSets(): Promise<void> {
  const paths = [routes.listApplicationSets, routes.getApplicationSet].map(({ path }) => path);
  await Promise.all(paths.map((path) => queryClient.invalidateQueries({ queryKey: [path] })));
}

export function heldDeletions(
  conditions: readonly Condition[] = [],
): { message: string; code: string } | undefined {
  const held = conditions.find(({ type }) => type === deletionHeldCondition);
  // The command with its code ends the message.
  return held && { message: held.message, code: held.message.split(" ").at(-1) ?? "" };
}

/** Consents to the deletions that the code names. */
export async function allowDeletion(set: AppRef, code: string): Promise<void> {
  await call(routes.allowApplicationSetDeletion, { ...requestOf(set), code });
  await queryClient.invalidateQueries({ queryKey: [routes.getApplicationSet.path] });
}
