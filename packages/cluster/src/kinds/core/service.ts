import { fieldsAt } from "../../registry/selectable-fields.ts";
import { defaultService, defaultServicePort, defaultServiceSpec } from "../../schema/defaulting/service.ts";
import { prepareService } from "../../schema/prepare.ts";
import { serviceCells } from "../../schema/tables/network.ts";
import { undottedLabelName } from "../../schema/validation/names.ts";
import { validateService } from "../../schema/validation/service.ts";
import { validateServiceStatus } from "../../schema/validation/status.ts";
import { serviceWarnings } from "../../schema/warnings/warnings.ts";
import { admitService } from "../../workloads/network/admit-service.ts";
import { loadBalancers } from "../../workloads/network/load-balancers.ts";
import type { Kind } from "../kind.ts";

export const service: Kind = {
  group: "",
  resource: "services",
  storageKey: "services/specs",
  nameSyntax: undottedLabelName,
  metadataPasses: { update: 2, whole: 3 },
  createOnUpdate: true,
  newStatus: { loadBalancer: {} },
  defaults: {
    "io.k8s.api.core.v1.Service": defaultService,
    "io.k8s.api.core.v1.ServicePort": defaultServicePort,
    "io.k8s.api.core.v1.ServiceSpec": defaultServiceSpec,
  },
  prepare: prepareService,
  validate: validateService,
  validateStatus: validateServiceStatus,
  warnings: serviceWarnings,
  cells: serviceCells,
  selectors: fieldsAt("spec.clusterIP", "spec.type"),
  deletion: {
    answersObject: true,
  },
  hook: ({ objects }) => ({ admit: (service, previous) => admitService(service, previous, objects) }),
  simulation: { make: loadBalancers },
};
