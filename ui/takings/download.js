// Saves a CSV answer of the server as a file.
const TYPE = "text/csv";

export const download = async (app, url, query, name) => {
  const csv = await app.get(url, {}, query, TYPE);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", csv], { type: TYPE }));
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
};
