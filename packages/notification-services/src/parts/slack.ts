import { boolean, object, optional, string } from "@capstan/model/shapes";
import type { DeliveryPolicy } from "../notification.ts";
import { definePart, replaceTexts } from "../template/part.ts";

const policies: readonly DeliveryPolicy[] = ["Post", "PostAndUpdate", "Update"];

export const slackPart = definePart({
  key: "slack",
  schema: object({
    username: optional(string()),
    icon: optional(string()),
    attachments: optional(string()),
    blocks: optional(string()),
    groupingKey: optional(string()),
    notifyBroadcast: optional(boolean()),
    deliveryPolicy: optional(string()),
  }),
  // What is no policy is Post (pkg/util/slack/client.go FromString).
  warn: ({ deliveryPolicy: given }) =>
    given === undefined || policies.some((policy) => policy === given)
      ? []
      : [`deliveryPolicy "${given}" is none of ${policies.join(", ")}, and is taken for Post`],
  compile(given, textOf) {
    const names = ["username", "icon", "attachments", "blocks", "groupingKey"] as const;
    const texts = replaceTexts(given, names, textOf);
    const { notifyBroadcast = false } = given;
    const deliveryPolicy = policies.find((policy) => policy === given.deliveryPolicy) ?? "Post";
    return (vars) => ({ ...texts(vars), notifyBroadcast, deliveryPolicy });
  },
});
