import { type Context, type Controller, lookUp, ownChanges } from "../controller.ts";
import { isDeleting } from "../owners.ts";
import { resourceTypes } from "../resource-types.ts";
import { loadBalancerIP } from "../simulation.ts";
import { writeStatus } from "../write-status.ts";
import type { Ingress, Service } from "./kinds.ts";

const component = "service-controller";

/** Gives Services of type LoadBalancer an address that leads nowhere, and takes it back from others. */
export function loadBalancers({ objects, events }: Context): Controller {
  return {
    name: component,
    watches: [ownChanges(resourceTypes.services)],
    async reconcile(key) {
      const service = lookUp<Service>(objects, resourceTypes.services, key);
      if (!service || isDeleting(service) || service.spec.loadBalancerClass !== undefined) return undefined;
      const isBalanced = service.spec.type === "LoadBalancer";
      const ingress = service.status?.loadBalancer?.ingress ?? [];
      if (isBalanced === ingress.length > 0) return undefined;
      const loadBalancer = isBalanced ? { ingress: [{ ip: loadBalancerIP, ipMode: "VIP" }] } : {};
      const status = { ...service.status, loadBalancer };
      await writeStatus<Service>(objects, resourceTypes.services, { object: service, status });
      if (isBalanced) {
        events.record(service, {
          type: "Normal",
          reason: "EnsuredLoadBalancer",
          message: "Ensured load balancer",
          component,
        });
      }
      return undefined;
    },
  };
}

/** Gives every Ingress the same address, as an ingress controller would. */
export function ingresses({ objects }: Context): Controller {
  return {
    name: "ingress-controller",
    watches: [ownChanges(resourceTypes.ingresses)],
    async reconcile(key) {
      const ingress = lookUp<Ingress>(objects, resourceTypes.ingresses, key);
      if (!ingress || isDeleting(ingress) || (ingress.status?.loadBalancer?.ingress ?? []).length > 0)
        return undefined;
      const status = { ...ingress.status, loadBalancer: { ingress: [{ ip: loadBalancerIP }] } };
      await writeStatus<Ingress>(objects, resourceTypes.ingresses, { object: ingress, status });
      return undefined;
    },
  };
}
