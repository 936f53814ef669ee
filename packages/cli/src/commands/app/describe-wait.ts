import type { Application, ResourceStatus } from "@capstan/model";

const maxObjects = 3;

/** How an application is that was waited for in vain: its operation, its state, and the objects that are the reason. */
export function describeWait(name: string, app: Application | undefined): string {
  if (!app) return `${name}: the server has told nothing of it yet`;
  const { operationState: state, sync, health, resources = [] } = app.status ?? {};
  const parts: string[] = [];
  if (app.operation && !state) parts.push("its operation has not begun");
  else if (app.operation || (state && !state.finishedAt))
    parts.push(`its operation is ${state?.phase ?? "Running"}${state?.message ? `, ${state.message}` : ""}`);
  else if (state) parts.push(`its last operation ${state.phase}${state.message ? `, ${state.message}` : ""}`);
  parts.push(`it is ${sync?.status ?? "not compared"} and ${health?.status ?? "of unknown health"}`);
  const reasons = resources.flatMap((one) => describeObject(one) ?? []);
  const more = reasons.length > maxObjects ? [`and ${reasons.length - maxObjects} more`] : [];
  return `${name}: ${[...parts, ...reasons.slice(0, maxObjects), ...more].join("; ")}`;
}

function describeObject({ kind, namespace, name, status, health }: ResourceStatus): string | undefined {
  const isSettled = health === undefined || health.status === "Healthy";
  if (isSettled && (status === undefined || status === "Synced")) return undefined;
  const states = [status === "Synced" ? undefined : status, isSettled ? undefined : health?.status];
  const place = namespace ? `${namespace}/${name}` : name;
  const why = !isSettled && health?.message ? `, ${health.message}` : "";
  return `${kind} ${place} is ${states.filter((one) => one !== undefined).join(" and ")}${why}`;
}
