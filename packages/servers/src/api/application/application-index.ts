import { randomBytes } from "node:crypto";
import { BoundedMap } from "@capstan/flow";
import type { LiveChange, Settings } from "@capstan/kube";
import type { Application } from "@capstan/model";
import type { Identity } from "../../call.ts";
import { applicationObject } from "../access/rights.ts";
import { isServed } from "../access/served-applications.ts";
import type { ApiContext } from "../context.ts";
import { KeptOrder } from "../paging/kept-order.ts";
import { placeBy } from "./application-orders.ts";
import { applicationGroup, isApplication } from "./read-application.ts";

/** All Applications, in the orders that were asked for, and who may see which. */
export interface ApplicationIndex {
  sortedBy(sort: string): KeptOrder<Application>;
  /** Whether a caller may see an application; judged once for each version of it. */
  maySee(user: Identity): (app: Application) => boolean;
  /** Changes whenever a list of applications may; undefined while the cluster is not known. */
  state(): string | undefined;
  close(): void;
}

type Needs = Pick<ApiContext, "live" | "rights" | "settings" | "controlNamespace">;

/** Callers whose rights are remembered. */
const mostViews = 32;

export function createApplicationIndex(context: Needs): ApplicationIndex {
  const { live } = context;
  const readiness = followReadiness(live);
  const orders = new Map<string, KeptOrder<Application>>();
  const views = createViews(context);
  const birth = randomBytes(9).toString("base64url");
  let changes = 0;
  const stop = live.onChange((change) => {
    if (change.key.group !== applicationGroup) return;
    changes += 1;
    if (change.key.kind === "AppProject") views.forget();
    if (change.key.kind === "Application") for (const order of orders.values()) replaceIn(order, change);
  });
  return {
    sortedBy(sort) {
      const kept = orders.get(sort);
      if (kept) return kept;
      const all = live.ofKind(applicationGroup, "Application").filter(isApplication);
      const order = new KeptOrder<Application>(all, placeBy(sort));
      // Before the cluster is known changes are not told.
      if (readiness.isReady()) orders.set(sort, order);
      return order;
    },
    maySee: (user) => views.of(user),
    state: () => (readiness.isReady() ? `${birth}.${changes}.${views.settingsSeen()}` : undefined),
    close() {
      stop();
      readiness.stop();
    },
  };
}

function replaceIn(order: KeptOrder<Application>, { previous, current }: LiveChange): void {
  if (previous === current) return;
  const [before, now] = [previous, current].map((one) => (isApplication(one) ? one : undefined));
  order.replace(before, now);
}

function followReadiness(live: ApiContext["live"]) {
  const stopping = new AbortController();
  let isReady = false;
  let isAsked = false;
  return {
    isReady(): boolean {
      if (isReady || isAsked) return isReady;
      isAsked = true;
      live.ready(stopping.signal).then(
        () => {
          isReady = true;
        },
        // Asked again with the next call.
        () => {
          isAsked = false;
        },
      );
      return false;
    },
    stop: () => stopping.abort(new Error("the index is closed")),
  };
}

/** Verdicts hold as long as the settings and the projects that they were made with. */
function createViews(context: Needs) {
  const { rights, settings, controlNamespace } = context;
  const known = new BoundedMap<(app: Application) => boolean>(mostViews);
  let seen: Settings = settings.current;
  let settingsSeen = 0;
  let epoch = 0;
  const forget = (): void => {
    epoch += 1;
    known.deleteWhere(() => true);
  };
  const forgetOld = (): void => {
    if (seen === settings.current) return;
    seen = settings.current;
    settingsSeen += 1;
    forget();
  };
  const judge = (user: Identity, app: Application): boolean => {
    const object = applicationObject(app, controlNamespace);
    return isServed(context, app) && rights.allows(user, { resource: "applications", action: "get", object });
  };
  return {
    forget,
    settingsSeen(): number {
      forgetOld();
      return settingsSeen;
    },
    of(user: Identity): (app: Application) => boolean {
      const id = JSON.stringify([user.issuer, user.name, user.groups]);
      const open = () => {
        const view = known.get(id) ?? remembered((app) => judge(user, app));
        known.set(id, view);
        return { view, epoch };
      };
      let current = open();
      return (app) => {
        forgetOld();
        // A stream outlives settings and projects.
        if (current.epoch !== epoch) current = open();
        return current.view(app);
      };
    },
  };
}

function remembered(judge: (app: Application) => boolean): (app: Application) => boolean {
  const verdicts = new WeakMap<Application, boolean>();
  return (app) => {
    const known = verdicts.get(app);
    if (known !== undefined) return known;
    const verdict = judge(app);
    verdicts.set(app, verdict);
    return verdict;
  };
}
