import { nearestName } from "@capstan/formats";
import type { ServiceType } from "./sending/define-service.ts";
import { EntryError, type NotificationService, type ServiceRequest } from "./service.ts";
import { webhook } from "./services/webhook.ts";

const types: readonly ServiceType[] = [webhook];

export const serviceTypes: readonly string[] = types.map(({ type }) => type);

/** Reads an entry `service.<type>[.<name>]`. Throws EntryError where it cannot be used. Nothing is sent yet. */
export function createService(request: ServiceRequest): NotificationService {
  const found = types.find(({ type }) => type === request.type);
  if (found) return found.open(request);
  const near = nearestName(request.type, serviceTypes);
  const hint = near === undefined ? `there are ${serviceTypes.join(", ")}` : `did you mean ${near}?`;
  throw new EntryError(`service.${request.type}`, [`there is no service ${request.type}; ${hint}`]);
}
