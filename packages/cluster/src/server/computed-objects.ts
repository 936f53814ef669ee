import { stringifyJson } from "@capstan/formats";
import { methodNotAllowed, notFound } from "../objects/failures.ts";
import { timestamp, type World } from "../objects/world.ts";
import type { Computed } from "../registry/computed.ts";
import { Entry } from "../store/entry.ts";
import type { ApiResponse, KubeObject } from "../types.ts";
import type { ResourceCall } from "./call.ts";
import { readSelection } from "./list-options.ts";
import { answerList, answerObject } from "./represent.ts";

/** Answers for kinds that are kept nowhere: read alone, in no revision, as metrics-server does. */
export function serveComputed(computed: Computed, world: World, call: ResourceCall): Promise<ApiResponse> {
  const { verb, name, namespace, served, query } = call;
  const { store, clock } = world;
  const make = () => computed.maker(store, timestamp(clock));
  if (verb === "get")
    return store.read(() => {
      const source = store.get(computed.source, namespace, name);
      const object = source && make()(source);
      if (object === undefined) throw notFound(served.info, name);
      return answerObject(clock, call, { object });
    });
  if (verb !== "list") throw methodNotAllowed();
  const selection = readSelection(served, query);
  return store.read(() => {
    const sources = store
      .list(computed.source, namespace === "" ? undefined : namespace)
      .filter((source) => selection.matches(source));
    const objects = sources.map(make()).filter((object) => object !== undefined);
    return answerList(clock, call, { entries: objects.map(asEntry), list: { resourceVersion: "" } });
  });
}

function asEntry(object: KubeObject): Entry {
  const { name = "", namespace = "" } = object.metadata;
  const text = stringifyJson(object);
  return new Entry({ row: 0, type: "", namespace, name, uid: "", revision: 0, owners: [], text }, object);
}
