export const roleOptions = [
  { value: "viewer", label: "Viewer", note: "Reads, without names and addresses" },
  { value: "operator", label: "Operator", note: "Reads and changes everything except users and keys" },
  { value: "admin", label: "Admin", note: "Also manages users, keys and settings" },
];

export const roleName = (role: string | null): string =>
  roleOptions.find(({ value }) => value === role)?.label ?? "No role";

export const statusName = (status: string): string => (status === "active" ? "Active" : "Disabled");
