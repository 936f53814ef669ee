import { type Application, CapstanError, instanceName, type Manifest } from "@capstan/model";
import type { ResourceActionRequest } from "@capstan/wire";
import type { Call, HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { changeObjects } from "./change-objects.ts";
import { findActionTarget } from "./find-action-target.ts";
import { isApplication } from "./read-application.ts";
import { replaceWith } from "./update-application.ts";

export function runResourceAction(context: ApiContext): HandlerOf<"runResourceAction"> {
  return (request, call) => runAction(context, request, call);
}

/** The older call, without parameters. */
export function runResourceActionByName(context: ApiContext): HandlerOf<"runResourceActionByName"> {
  return ({ resourceName = "", version = "", kind = "", ...rest }, call) =>
    runAction(
      context,
      { ...withoutUndefined(rest), name: rest.name, action: rest.action, resourceName, version, kind },
      call,
    );
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

async function runAction(
  context: ApiContext,
  request: ResourceActionRequest & { name: string },
  call: Call,
): Promise<Record<string, never>> {
  const { user, signal } = call;
  const { group = "", kind, action: name } = request;
  const action = `action/${group}/${kind}/${name}`;
  const target = await findActionTarget(context, { request, user, action, signal });
  const { app, object: live } = target;
  const given = (request.resourceActionParameters ?? []).map((one) => [one.name, one.value]);
  const impacted = await context.scripts.actions.perform(live, {
    name,
    parameters: Object.fromEntries(given),
    asker: instanceName(app, context.controlNamespace),
    signal,
  });
  if (target.kind === "itself") {
    for (const { operation, object } of impacted)
      await changeItself(context, app, { operation, object, call });
    return {};
  }
  const { cluster } = target;
  await changeObjects({ live, impacted, cluster, client: cluster.client, signal });
  return {};
}

interface OfItself {
  operation: string;
  object: Manifest;
  call: Call;
}

/** As who updates it, but that the right is the action's: what it becomes is checked against its project. */
async function changeItself(
  context: ApiContext,
  app: Application,
  { operation, object, call }: OfItself,
): Promise<void> {
  if (operation !== "patch" || !isApplication(object))
    throw new CapstanError({
      code: "FAILED_PRECONDITION",
      what: "the action",
      problem: "an action on an application may change this application alone, and stay one",
    });
  await replaceWith(context, app, { wanted: object, validate: true, call });
}
