/** What a declaration says around the owner's own words. */
export interface DeclarationWords {
  title: string;
  service: string;
  cookie: string;
  purpose: string;
  duration: string;
  /** Where no service is declared. */
  none: string;
}

const WORDS: Readonly<Record<string, DeclarationWords>> = {
  en: {
    ...{ title: 'Cookie declaration', service: 'Service', cookie: 'Cookie', purpose: 'Purpose' },
    ...{ duration: 'Duration', none: 'No services are declared.' },
  },
  de: {
    ...{ title: 'Cookie-Erklärung', service: 'Dienst', cookie: 'Cookie', purpose: 'Zweck' },
    ...{ duration: 'Speicherdauer', none: 'Es sind keine Dienste angegeben.' },
  },
  fr: {
    ...{
      title: 'Déclaration relative aux cookies',
      service: 'Service',
      cookie: 'Cookie',
      purpose: 'Finalité',
    },
    ...{ duration: 'Durée de conservation', none: 'Aucun service n’est déclaré.' },
  },
  es: {
    ...{ title: 'Declaración de cookies', service: 'Servicio', cookie: 'Cookie', purpose: 'Finalidad' },
    ...{ duration: 'Duración', none: 'No se ha declarado ningún servicio.' },
  },
  it: {
    ...{ title: 'Dichiarazione sui cookie', service: 'Servizio', cookie: 'Cookie', purpose: 'Finalità' },
    ...{ duration: 'Durata', none: 'Nessun servizio dichiarato.' },
  },
  nl: {
    ...{ title: 'Cookieverklaring', service: 'Dienst', cookie: 'Cookie', purpose: 'Doel' },
    ...{ duration: 'Bewaartermijn', none: 'Er zijn geen diensten opgegeven.' },
  },
  pl: {
    ...{ title: 'Deklaracja plików cookie', service: 'Usługa', cookie: 'Plik cookie', purpose: 'Cel' },
    ...{ duration: 'Okres przechowywania', none: 'Nie zadeklarowano żadnych usług.' },
  },
  pt: {
    ...{ title: 'Declaração de cookies', service: 'Serviço', cookie: 'Cookie', purpose: 'Finalidade' },
    ...{ duration: 'Duração', none: 'Nenhum serviço declarado.' },
  },
  sv: {
    ...{ title: 'Cookiedeklaration', service: 'Tjänst', cookie: 'Cookie', purpose: 'Syfte' },
    ...{ duration: 'Lagringstid', none: 'Inga tjänster har angetts.' },
  },
  da: {
    ...{ title: 'Cookieerklæring', service: 'Tjeneste', cookie: 'Cookie', purpose: 'Formål' },
    ...{ duration: 'Varighed', none: 'Der er ikke angivet nogen tjenester.' },
  },
};

/** Those of the language, otherwise English ones. */
export function declarationWords(language: string): DeclarationWords & { language: string } {
  const known = language.split('-')[0] ?? '';
  const words = WORDS[known];
  return words ? { ...words, language } : { ...(WORDS['en'] as DeclarationWords), language: 'en' };
}
