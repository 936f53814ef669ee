import { formatTime, isRecord } from "@capstan/formats";
import type { Patch } from "@capstan/kube";
import { CapstanError, formatKey, type Manifest, type ResourceKey } from "@capstan/model";
import type { ResourceActionRequest } from "@capstan/wire";
import type { Call, HandlerOf } from "../../call.ts";
import type { ApiContext } from "../context.ts";
import { findApplication } from "./find-application.ts";
import { findResource, type ResourceName, type ResourceNeeds, refOfObject } from "./find-resource.ts";
import { applicationGroup } from "./read-application.ts";

type Needs = ResourceNeeds & Pick<ApiContext, "clock">;

interface ActionInput {
  nowMs: number;
  parameters: Readonly<Record<string, string>>;
}

interface ResourceAction {
  readonly name: string;
  readonly displayName: string;
  readonly params?: readonly string[];
  isDisabled(object: Manifest): boolean;
  patch(input: ActionInput): Patch;
}

const restart: ResourceAction = {
  name: "restart",
  displayName: "Restart",
  isDisabled: () => false,
  // What kubectl rollout restart does.
  patch: ({ nowMs }) => ({
    type: "merge",
    body: {
      spec: {
        template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": formatTime(nowMs) } } },
      },
    },
  }),
};

const isPaused = ({ spec }: Manifest): boolean => isRecord(spec) && spec.paused === true;

const pause: ResourceAction = {
  name: "pause",
  displayName: "Pause",
  isDisabled: isPaused,
  patch: () => ({ type: "merge", body: { spec: { paused: true } } }),
};

const resume: ResourceAction = {
  name: "resume",
  displayName: "Resume",
  isDisabled: (object) => !isPaused(object),
  patch: () => ({ type: "merge", body: { spec: { paused: null } } }),
};

const scale: ResourceAction = {
  name: "scale",
  displayName: "Scale",
  params: ["replicas"],
  isDisabled: () => false,
  patch({ parameters }) {
    const replicas = Number(parameters.replicas);
    if (!/^\d+$/.test(parameters.replicas ?? "") || replicas > 100_000)
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "replicas",
        problem: "must be a whole number",
      });
    return { type: "merge", body: { spec: { replicas } } };
  },
};

const actionsByKind: Readonly<Record<string, readonly ResourceAction[]>> = {
  "apps/Deployment": [restart, pause, resume, scale],
  "apps/StatefulSet": [restart, scale],
  "apps/DaemonSet": [restart],
};

function actionsOf({ group, kind }: ResourceKey): readonly ResourceAction[] {
  return actionsByKind[`${group}/${kind}`] ?? [];
}

export function listResourceActions(context: Needs): HandlerOf<"listResourceActions"> {
  return async (request, { user, signal }) => {
    if (await isItself(context, request, { user, signal })) return { actions: [] };
    const { object, key } = await findResource(context, { request, user, action: "get", signal });
    return {
      actions: actionsOf(key).map((action) => ({
        name: action.name,
        displayName: action.displayName,
        disabled: action.isDisabled(object),
        ...(action.params ? { params: action.params.map((name) => ({ name })) } : {}),
      })),
    };
  };
}

/** argocd asks also what can be done with the application as an object: nothing yet. */
async function isItself(
  context: Needs,
  request: ResourceName,
  { user, signal }: Pick<Call, "user" | "signal">,
): Promise<boolean> {
  const { group, kind, resourceName, name } = request;
  if (group !== applicationGroup || kind !== "Application" || resourceName !== name) return false;
  const { metadata } = await findApplication(context, { request, user, action: "get", signal });
  return (request.namespace ?? "") === (metadata.namespace ?? "");
}

export function runResourceAction(context: Needs): HandlerOf<"runResourceAction"> {
  return (request, call) => runAction(context, request, call);
}

export function runResourceActionByName(context: Needs): HandlerOf<"runResourceActionByName"> {
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
  context: Needs,
  request: ResourceActionRequest & { name: string },
  { user, signal }: Call,
): Promise<Record<string, never>> {
  const { group = "", kind, action: name } = request;
  const action = `action/${group}/${kind}/${name}`;
  const { object, cluster, key } = await findResource(context, { request, user, action, signal });
  const found = actionsOf(key).find((one) => one.name === name);
  if (!found) {
    const known = actionsOf(key).map((one) => one.name);
    const problem = `${formatKey(key)} has no action "${name}"${known.length > 0 ? `; it has ${known.join(", ")}` : ""}`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "action", problem });
  }
  const given = (request.resourceActionParameters ?? []).map((one) => [one.name, one.value]);
  const patch = found.patch({ nowMs: context.clock.now(), parameters: Object.fromEntries(given) });
  await cluster.client.patch(refOfObject(object), patch, { signal });
  return {};
}
