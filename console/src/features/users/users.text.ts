export const roleOptions = [
  { value: "viewer", label: "Viewer", note: "reads, but no names and addresses" },
  { value: "operator", label: "Operator", note: "works" },
  { value: "admin", label: "Admin", note: "also users and keys" },
];
