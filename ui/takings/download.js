// CSV of the interface, as a file.
const TYPE = "text/csv";

export const download = async (app, url, asked, name) => {
  const text = await app.get(url, {}, asked, TYPE);
  const way = document.createElement("a");
  way.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: TYPE }));
  way.download = `${name}.csv`;
  way.click();
  URL.revokeObjectURL(way.href);
};
