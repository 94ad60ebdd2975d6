const wrong = [];
for (const language of LANGUAGES) {
  if (document.documentElement.lang !== language) examine.app().speak(language);
  await examine.drawn();
  wrong.push(...looked().map((what) => `${language}: ${what}`));
}
return wrong;
