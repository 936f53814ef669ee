import type { Part } from "../template/part.ts";
import { messagePart } from "./message.ts";
import { webhookPart } from "./webhook.ts";

/** What a template may have. */
export const parts: readonly Part[] = [messagePart, webhookPart];
