import { byCodePoint } from "@capstan/krm-yaml";
import type { KrmFunction } from "../function.ts";
import { type Item, identityOf } from "../item.ts";

/** Of a function that is written with kpt's Go library, which sorts what it gives out (krm-functions-sdk KubeObjects.Less). */
export function inLibraryOrder(run: KrmFunction): KrmFunction {
  return async (list, context) => {
    const end = await run(list, context);
    list.items.sort((one, other) => byCodePoint(orderOf(one), orderOf(other)));
    return end;
  };
}

function orderOf(item: Item): string {
  const { apiVersion, kind, namespace, name } = identityOf(item);
  return `${apiVersion} ${kind} ${namespace} ${name}`;
}
