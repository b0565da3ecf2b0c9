/** Our texts in a declaration, around the owner's. */
export interface DeclarationWords {
  title: string;
  service: string;
  cookie: string;
  purpose: string;
  duration: string;
  /** Shown if no service is declared. */
  none: string;
  /** The description and purpose of our own choice cookie. */
  choice: string;
  choicePurpose: string;
}

const WORDS: Readonly<Record<string, DeclarationWords>> = {
  en: {
    title: 'Cookie declaration',
    service: 'Service',
    cookie: 'Cookie',
    purpose: 'Purpose',
    duration: 'Duration',
    none: 'No services are declared.',
    choice: 'Choice of cookies',
    choicePurpose: 'Stores which categories you allowed, when, and the version of the policy.',
  },
  de: {
    title: 'Cookie-Erklärung',
    service: 'Dienst',
    cookie: 'Cookie',
    purpose: 'Zweck',
    duration: 'Speicherdauer',
    none: 'Es sind keine Dienste angegeben.',
    choice: 'Cookie-Auswahl',
    choicePurpose:
      'Speichert, welche Kategorien Sie wann und zu welcher Version der Richtlinie erlaubt haben.',
  },
  fr: {
    title: 'Déclaration relative aux cookies',
    service: 'Service',
    cookie: 'Cookie',
    purpose: 'Finalité',
    duration: 'Durée de conservation',
    none: 'Aucun service n’est déclaré.',
    choice: 'Choix des cookies',
    choicePurpose:
      'Enregistre les catégories que vous avez autorisées, la date et la version de la politique.',
  },
  es: {
    title: 'Declaración de cookies',
    service: 'Servicio',
    cookie: 'Cookie',
    purpose: 'Finalidad',
    duration: 'Duración',
    none: 'No se ha declarado ningún servicio.',
    choice: 'Elección de cookies',
    choicePurpose: 'Guarda las categorías que ha permitido, cuándo y la versión de la política.',
  },
  it: {
    title: 'Dichiarazione sui cookie',
    service: 'Servizio',
    cookie: 'Cookie',
    purpose: 'Finalità',
    duration: 'Durata',
    none: 'Nessun servizio dichiarato.',
    choice: 'Scelta dei cookie',
    choicePurpose: 'Memorizza le categorie consentite, quando e la versione dell’informativa.',
  },
  nl: {
    title: 'Cookieverklaring',
    service: 'Dienst',
    cookie: 'Cookie',
    purpose: 'Doel',
    duration: 'Bewaartermijn',
    none: 'Er zijn geen diensten opgegeven.',
    choice: 'Cookiekeuze',
    choicePurpose: 'Bewaart welke categorieën u hebt toegestaan, wanneer en de versie van het beleid.',
  },
  pl: {
    title: 'Deklaracja plików cookie',
    service: 'Usługa',
    cookie: 'Plik cookie',
    purpose: 'Cel',
    duration: 'Okres przechowywania',
    none: 'Nie zadeklarowano żadnych usług.',
    choice: 'Wybór plików cookie',
    choicePurpose: 'Zapisuje dozwolone kategorie, czas wyboru i wersję polityki.',
  },
  pt: {
    title: 'Declaração de cookies',
    service: 'Serviço',
    cookie: 'Cookie',
    purpose: 'Finalidade',
    duration: 'Duração',
    none: 'Nenhum serviço declarado.',
    choice: 'Escolha de cookies',
    choicePurpose: 'Guarda as categorias que permitiu, quando e a versão da política.',
  },
  sv: {
    title: 'Cookiedeklaration',
    service: 'Tjänst',
    cookie: 'Cookie',
    purpose: 'Syfte',
    duration: 'Lagringstid',
    none: 'Inga tjänster har angetts.',
    choice: 'Cookieval',
    choicePurpose: 'Sparar vilka kategorier du har tillåtit, när och policyns version.',
  },
  da: {
    title: 'Cookieerklæring',
    service: 'Tjeneste',
    cookie: 'Cookie',
    purpose: 'Formål',
    duration: 'Varighed',
    none: 'Der er ikke angivet nogen tjenester.',
    choice: 'Cookievalg',
    choicePurpose: 'Gemmer, hvilke kategorier du har tilladt, hvornår og politikkens version.',
  },
};

/** The texts in a language, otherwise in English. */
export function declarationWords(language: string): DeclarationWords & { language: string } {
  const known = language.split('-')[0] ?? '';
  const words = WORDS[known];
  return words ? { ...words, language } : { ...(WORDS['en'] as DeclarationWords), language: 'en' };
}
