import { prepareApiService } from "../../schema/prepare.ts";
import { apiServiceCells } from "../../schema/tables/cluster.ts";
import { versionAndGroup } from "../../schema/validation/metadata.ts";
import { validateApiService } from "../../schema/validation/rarer.ts";
import { validateApiServiceStatus } from "../../schema/validation/status.ts";
import { apiServices } from "../../workloads/policy/standing.ts";
import type { Kind } from "../kind.ts";

export const apiService: Kind = {
  group: "apiregistration.k8s.io",
  resource: "apiservices",
  storageKey: "apiregistration.k8s.io/apiservices",
  nameSyntax: versionAndGroup,
  isGenerallyValidated: true,
  versionedUpdates: true,
  prepare: prepareApiService,
  validate: validateApiService,
  validateStatus: validateApiServiceStatus,
  cells: apiServiceCells,
  simulation: { make: apiServices },
};
