import type { Review, World } from "../objects/world.ts";
import type { Served } from "../registry/served.ts";
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt } from "../schema/json.ts";
import { matches } from "./policy-match.ts";

const group = "admissionregistration.k8s.io";
export const mutatingType = `${group}/mutatingwebhookconfigurations`;
export const validatingType = `${group}/validatingwebhookconfigurations`;

/** Changes of these are no webhook's affair: whoever erred could not mend it (webhook/predicates/rules IsExempt…). */
const exempt: ReadonlySet<string> = new Set(
  ["webhookconfigurations", "admissionpolicies", "admissionpolicybindings"].flatMap((kind) => [
    `${group}/mutating${kind}`,
    `${group}/validating${kind}`,
  ]),
);

/** A webhook that wants to see a change. */
export interface Webhook {
  /** Unique: of its configuration, its place there and what is written of it. */
  readonly id: string;
  readonly name: string;
  readonly written: JsonObject;
  /** The version in which it wants to see the object. */
  readonly as: Served;
  readonly ignoresFailure: boolean;
  readonly timeoutSeconds: number;
}

/** In the order in which they are called: by the names of their configurations. */
export function webhooksFor(
  { store, registry }: Pick<World, "store" | "registry">,
  review: Review,
  type: string,
): Webhook[] {
  if (store.count(type) === 0 || exempt.has(review.served.type)) return [];
  const entries = [...store.list(type)].sort((left, right) => (left.name < right.name ? -1 : 1));
  return entries.flatMap(({ object, name: of }) =>
    listAt(object, "webhooks")
      .filter(isObject)
      .flatMap((written, index): Webhook[] => {
        const as = wantedVersion(registry, review, written);
        if (as === undefined || !selects(store, review, written)) return [];
        return [
          {
            id: `${type}/${of}/${index}/${object.metadata.resourceVersion}`,
            name: textAt(written, "name"),
            written,
            as,
            ignoresFailure: textAt(written, "failurePolicy") === "Ignore",
            timeoutSeconds: numberAt(written, "timeoutSeconds") ?? 10,
          },
        ];
      }),
  );
}

/** The request's own version where a rule names it, else with matchPolicy Equivalent another of the same resource. */
function wantedVersion(registry: World["registry"], review: Review, written: JsonObject): Served | undefined {
  const rules = listAt(written, "rules");
  if (rules.length === 0) return undefined;
  const { served } = review;
  const others =
    textAt(written, "matchPolicy") === "Exact" || !served.converts
      ? []
      : registry.all().filter((one) => one.type === served.type && one !== served);
  // Asked as if it did not convert: each version stands for itself here.
  const store = { get: () => undefined };
  return [served, ...others].find((one) =>
    matches(store, { resourceRules: rules }, { ...review, served: { ...one, converts: false } }),
  );
}

function selects(store: World["store"], review: Review, written: JsonObject): boolean {
  const namespaceSelector = objectAt(written, "namespaceSelector");
  const objectSelector = objectAt(written, "objectSelector");
  return matches(
    store,
    { ...(namespaceSelector && { namespaceSelector }), ...(objectSelector && { objectSelector }) },
    review,
  );
}
