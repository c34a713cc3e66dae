"""What pages say in other languages than English when they are no longer what they were.

Where words stand apart and hardly change their endings, trigger words are given; other languages are told by their
script, and all patterns of that script are tried on them. Matched against lower-case text with plain apostrophes.
"""

from collections.abc import Mapping

from afresh.links.verdicts.phrases import Phrases
from afresh.links.verdicts.phrases_absent import ABSENT


def _latin(triggers: str, *texts: str) -> Phrases:
    return Phrases(triggers, (), texts)


def _script(script: str, *texts: str) -> Phrases:
    return Phrases("", (), texts, script)


_MISSING = (
    *ABSENT,
    # In a title nothing else need be said.
    Phrases(
        "introuvable encontrado encontrada trovato trovata găsit găsită gevonden gefunden fundet funnet hittades",
        (
            r"(?:^|\W)(?:introuvable|no encontrad[ao]|não encontrad[ao]|non trovat[ao]|niet gevonden|nicht "
            r"gefunden)\s*(?:$|\W)",
            r"(?:^|\W)(?:nu a fost găsită?|ikke fundet|ikke funnet|hittades inte)\s*(?:$|\W)",
        ),
        (r"(?!)",),
    ),
    _latin(
        "gefunden finden existiert vorhanden verfügbar entfernt gelöscht auffindbar verschoben nicht",
        r"(?:seite|dokument|inhalt|adresse|datei|artikel|url|beitrag|eintrag|link|thema"
        r"|produkt|angebot|anzeige|video|profil)\w*\b[^.!?]{0,60}(?:nicht (?:gefunden"
        r"|vorhanden|verfügbar|auffindbar|existier|finden|mehr (?:vorhanden|verfügbar|da|online|gefunden))|existier\w+ "
        r"(?:leider )?(?:nicht|nie)|entfernt|gelöscht)",
        r"(?:konnte[n]?|können)\b[^.!?]{0,60}nicht (?:gefunden|finden|auffinden)|^nicht gefunden|\bfehler 404"
        r"|404[- ]fehler",
        r"(?:gesuchte|angeforderte|aufgerufene|gewünschte) (?:seite|url|datei|inhalt)",
    ),
    _latin(
        "introuvable trouvée trouvé trouver existe n'existe disponible supprimée supprimé déplacée erreur recherchez "
        "demandée",
        r"(?:page|document|contenu|article|fichier|adresse|ressource|sujet|produit"
        r"|annonce|offre|vidéo|profil)\b[^.!?]{0,60}(?:introuvable|n'existe (?:pas"
        r"|plus)|pas "
        r"(?:été )?trouvée?|non trouvée?|n'est (?:pas|plus) disponible|supprimée?|perdue|déplacée)",
        r"(?:impossible de|n'avons pas (?:pu )?|ne (?:peut|parvenons|pouvons)(?: pas)?(?: à)?) ?trouve[rz]?|\berreur "
        r"404",
        r"page (?:demandée|recherchée|que vous (?:cherchez|recherchez|avez demandée|demandez))",
    ),
    _latin(
        "encontrada encontrado encontrar encontramos encuentra existe disponible eliminada eliminado movida error "
        "buscas busca solicitada solicitado",
        r"(?:página|documento|contenido|archivo|artículo|enlace|recurso|tema|producto"
        r"|anuncio|oferta|vídeo|perfil)\b[^.!?]{0,60}(?:no (?:se (?:ha |pudo |puede )?"
        r"|fue |ha sido |está )?(?:encontra|encuentr|disponible|existe)|ya no|eliminad)",
        r"no (?:se (?:ha |han |pudo |puede )?|hemos (?:podido )?|pudimos |podemos |logramos )encontr|\berror 404",
        r"página (?:solicitada|que (?:busca|estás? buscando|intenta|ha solicitado))",
    ),
    _latin(
        "encontrada encontrado encontrar encontramos existe disponível removida removido erro localizada procura "
        "solicitada",
        r"(?:página|documento|conteúdo|arquivo|ficheiro|artigo|endereço|recurso|tópico"
        r"|produto|anúncio|vídeo|perfil)\b[^.!?]{0,60}(?:não (?:foi |pôde "
        r"ser |está "
        r"|pode ser )?(?:encontrad|existe|localizad|disponível)|já não|removid)",
        r"não (?:conseguimos|encontramos|pudemos|foi possível|pode|consegue) ?(?:encontrar|localizar)?|\berro 404",
        r"página (?:solicitada|requisitada|que (?:procura|você|está (?:procurando|a tentar)|tentou))",
    ),
    _latin(
        "trovata trovato trovare esiste disponibile rimossa rimosso errore cercando richiesta spostata",
        r"(?:pagina|documento|contenuto|articolo|risorsa|file|indirizzo|argomento"
        r"|prodotto|annuncio|video|profilo)\b[^.!?]{0,60}(?:non (?:è (?:stat[ao] )?"
        r"|sembra )?"
        r"(?:trovat|disponibil|esist|presente|raggiungibil)|rimoss|inesistent)",
        r"(?:impossibile|non (?:riesce|riusciamo|possiamo|siamo riusciti)(?: a)?) trovare|\berrore 404|pagina non "
        r"trovata",
        r"pagina (?:richiesta|che (?:stai|stavi|hai|cerchi))",
    ),
    _latin(
        "gevonden vinden bestaat beschikbaar verwijderd verplaatst",
        r"(?:pagina|document|bestand|artikel|inhoud|link|url|onderwerp|product"
        r"|advertentie|video|profiel)\b[^.!?]{0,60}(?:niet (?:gevonden|vinden|beschikbaar|meer)"
        r"|bestaat (?:helaas )?niet|verwijderd)|niet gevonden",
        r"(?:kan|kon|kunnen|konden)\b[^.!?]{0,60}niet (?:vinden|worden gevonden)|pagina die (?:je|u) (?:zoekt|zocht)",
    ),
    _latin(
        "hittades hittas hittar hittade finns fundet findes finde funnet finnes fant finne finner fannst",
        r"(?:hittades|kunde|hittar|hittade|finns)\b[^.!?]{0,20}inte|ikke (?:fundet|funnet|finde|findes|finne|finnes"
        r"|finner)",
        r"(?:findes|finnes|fant|finner) (?:desværre |dessverre |vi )?ikke|fannst ekki|sidan (?:du söker|finns)"
        r"|sid(?:en|an) (?:kunne|kunde|du (?:leder|leter|söker))",
    ),
    _latin(
        "löytynyt löydy löydetty sivua etsimääsi leitud atrasta atrast nerastas nerasta puslapis lapa",
        r"ei (?:löyt|löydy|löydetty)|sivua ei|etsimääsi sivua|ei leitud|nav atrast|nerast[aieu]|lapa nav",
    ),
    _latin(
        "znaleziono znaleziona znaleźć znaleziony istnieje odnaleziono nenalezena nenalezeno nalezena nalezeno "
        "neexistuje "
        "nenašli nenašla nájdená nenájdená stránka strona szukana szukasz",
        r"nie (?:może|udało się|mogliśmy)\b[^.!?]{0,20}(?:znaleźć|odnaleźć)|nie (?:znaleziono|odnaleziono|istnieje"
        r"|można (?:odnaleźć|znaleźć)|mogliśmy znaleźć|została znaleziona"
        r"|znaleziona)"
        r"|strona\b[^.!?]{0,40}(?:nie istnieje|usunięta|przeniesiona)|szukana strona",
        r"nenalezen|nebyl[ao]?\b[^.!?]{0,20}nalezen|neexistuje|nenašl|nenájden|nebol[ao]?\b[^.!?]{0,20}nájden"
        r"|(?:hledaná|požadovaná|hľadaná) stránka",
    ),
    _latin(
        "található találja találjuk találtuk létezik găsită găsit găsi există pronađena pronađen pronadjena postoji "
        "najdena najti obstaja "
        "bulunamadı bulunmuyor mevcut tapılmadı gjet trobat existeix",
        r"nem (?:található|talál|létezik)|nu (?:a fost |am |s-a |poate fi )?găsit|nu (?:mai )?există|nu (?:poate"
        r"|putem|am putut)\b[^.!?]{0,20}găsi|nije "
        r"(?:pronađen|pronadjen)"
        r"|ne (?:postoji|obstaja)|ni (?:bila |bilo )?(?:mogoče )?naj(?:d|ti)",
        r"bulunam(?:adı|amıştır)|mevcut değil|bulunmuyor|tapılmadı|nuk u gjet|no s'ha trobat|no existeix",
    ),
    _latin(
        "tìm tồn menemukan ditemukan tersedia dijumpai wujud hindi nahanap",
        r"không (?:tìm thấy|tồn tại|có sẵn)|tidak (?:dapat )?(?:ditemukan|tersedia|dijumpai|wujud|menemukan)"
        r"|hindi (?:nahanap|makita)",
    ),
    _latin(
        "bodoli dudalen tudalen fuarthas leathanach aurkitu orria orrialdea atopou atopouse páxina gevind bestaan "
        "bladsy "
        "nstabet paġna topilmadi sahifa tapylmady haukupatikana haipatikani haupo ukurasa trovita paĝo ekzistas "
        "fonnt säit "
        "bogga lama helin tšhebetso",
        r"(?:nid yw|dyw)[^.!?]{0,30}(?:bodoli|ar gael)|heb ddod o hyd|methu (?:dod o hyd|canfod)|ní bhfuarthas|níor "
        r"aimsíodh"
        r"|ez da (?:aurkitu|existitzen)|ezin izan da[^.!?]{0,20}aurkitu|non (?:se )?atop(?:ou|ouse|amos)|non existe"
        r"|nie gevind|bestaan nie|ma nstabe?t|ma tezistix",
        r"topilmadi|mavjud emas|tapylmady|haukupatikana|haipatikani|haikupatikana|haupo|ne (?:trovita|ekzistas)|net "
        r"fonnt"
        r"|lama helin",
    ),
    _script(
        "cyrillic",
        r"не (?:смог\w*|можем|может|получилось)\b[^.!?]{0,20}найти|не (?:зміг\w*|можемо|може)\b[^.!?]{0,20}знайти|не "
        r"(?:найден|существует|может быть найден|обнаружен|удалось найти|нашли|доступн)",
        r"(?:такой|эта|этой|запрашиваем|запрошенн|нужн)\w*\b[^.!?]{0,20}страниц\w*[^.!?]{0,60}(?:нет|не|удал)"
        r"|страниц\w*"
        r"[^.!?]{0,40}(?:удалена|удалён|перемещена|потеря)|ошибка 404",
        r"(?:такой|такого|этой|данной) (?:страницы|статьи|записи|товара)[^.!?]{0,20}(?:нет|не)|(?:устаревш|неверн"
        r"|битой)\w* ссылк"
        r"|не (?:беше|бе|е|са) (?:открит|намерен)|няма такава|такої (?:сторінки|статті)[^.!?]{0,20}(?:немає|не)",
        r"не (?:знайден|існує|вдалося знайти)|сторінк\w*[^.!?]{0,40}(?:видален|немає)|не (?:е|беше|бе) намерен|не "
        r"съществува",
        r"није пронађен|не постоји|не е пронајден|не знойдзен|табылмады|табылган жок|олдсонгүй",
    ),
    _script(
        "greek", r"δεν (?:βρέθηκε|υπάρχει|είναι διαθέσιμ|μπορ\w+ να βρ)|η σελίδα που (?:ζητ|αναζητ|ψάχν)|σφάλμα 404"
    ),
    _script("hebrew", r"לא נמצא|אינו קיים|אינה קיימת|לא קיים|לא קיימת|(?:הדף|העמוד) (?:ש|המבוקש)|שגיאה 404"),
    _script(
        "arabic",
        r"غير موجود|لم (?:يتم|نتمكن من) العثور|(?:لا يمكن|تعذر) العثور|غير متوفر|غير متاح|الصفحة التي (?:تبحث|طلبت)"
        r"|لم نعثر",
        r"(?:یافت|پیدا) (?:نشد|نمی)|وجود ندارد|(?:صفحه|برگه)[^.!?]{0,40}(?:نشد|ندارد)|نہیں ملا|موجود نہیں",
    ),
    _script(
        "indic",
        r"नहीं (?:मिल|है|पाया)|मौजूद नहीं|उपलब्ध नहीं|(?:सापडल|आढळल)\S* नाही|পাওয়া যায়নি|খুঁজে পাওয়া|বিদ্যমান নেই",
        r"கிடைக்கவில்லை|காணப்படவில்லை|கண்டுபிடிக்க|కనుగొనబడలేదు|దొరకలేదు|ಕಂಡುಬಂದಿಲ್ಲ|കണ്ടെത്തിയില്ല|મળ્યું નથી|ਨਹੀਂ "
        r"ਮਿਲ|හමු නොවී",
    ),
    _script("thai", r"ไม่พบ|ไม่มีหน้า|ไม่สามารถ(?:หา|ค้นหา)|หน้าที่คุณ(?:ค้นหา|ต้องการ|กำลัง)|หาไม่เจอ|ไม่มีอยู่"),
    _script("lao", r"ບໍ່ພົບ|ບໍ່ມີໜ້າ|ບໍ່ມີຢູ່"),
    _script("burmese", r"ရှာမတွေ့|မတွေ့ပါ|မရှိပါ|မရှိတော့"),
    _script("khmer", r"រកមិនឃើញ|មិនមាន(?:ទំព័រ|ទេ)|ទំព័រ[^។!?]{0,60}(?:មិនមាន|លុប)"),
    _script("ethiopic", r"አልተገኘም|ሊገኝ አልቻለም|(?:ገጹ?|ገጽ)[^።!?]{0,40}(?:የለም|አልተገኘ)|አይገኝም|ኣይተረኽበን"),
    _script("georgian", r"(?:ვერ|არ) (?:მოიძებნა|არსებობს)|არ არსებობს"),
    _script("armenian", r"չի գտնվել|չի գտնվում|գոյություն չունի|չգտնվեց"),
    _script(
        "kana",
        r"(?:ページ|記事|ファイル|url|コンテンツ|サイト|アドレス)[^。]{0,60}(?:見つかりません|みつかりません"
        r"|見つけること|見当たりません"
        r"|存在しません|ありません|削除|移動|ございません|表示できません)",
        r"見つかりません|みつかりません|(?:お探し|ご指定|指定され|アクセス(?:され|しようと"
        r"|いただい))[^。]{0,10}(?:の|た)?(?:ページ|url)",
    ),
    _script(
        "han",
        r"(?:页面|網頁|网页|頁面|文章|内容|內容|资源|資源|地址|網址|网址|文件|信息|商品|帖子)[^。!?]{0,24}(?:不存在"
        r"|找不到|未找到|没有找到"
        r"|已?被?(?:删除|刪除|移除|下线|下架)|丢失|走丢|无法访问|無法|不见了|飞走|失效|已搬)",
        r"找不到|未找到|没有找到|沒有找到|无法找到|無法找到|404错误|错误404|不存在|(?:您|你)(?:要|所)?(?:访问|查看"
        r"|请求|瀏覽|訪問|寻找)的",
    ),
    _script(
        "hangul",
        r"찾을 수 (?:없|가 없)|존재하지 않|없는 (?:페이지|주소)|(?:페이지|게시물|문서)[^.!?]{0,30}(?:삭제|이동"
        r"|없습니다|만료)|찾으시는 페이지"
        r"|요청하신 페이지|잘못된 (?:주소|경로|접근)",
    ),
)

_PARKED = (
    _latin(
        "domain domains domaininhaber vergeben freigeschaltet kaufen verkaufen verkauf erwerben geparkt registriert "
        "entsteht internetpräsenz reserviert "
        "webseite",
        r"domains?\b[^.!?]{0,60}(?:bereits vergeben|freigeschaltet|steht (?:zum|zur) (?:verkauf|verfügung)|zu "
        r"verkaufen|kaufen|erwerben|geparkt"
        r"|registriert"
        r"|reserviert|eingerichtet|zum verkauf)",
        r"(?:diese|die) domain\b[^.!?]{0,40}(?:kaufen|mieten|angebot)|hier entsteht|(?:internetpräsenz|webseite"
        r"|website|homepage)\b[^.!?]{0,40}(?:entsteht|eingerichtet|in kürze"
        r"|demnächst)",
    ),
    _latin(
        "domaine vendre vente venta vendita venda verkaufen acheter enregistré réservé déposé parking hébergé",
        r"[\w-]+\.[a-z]{2,10} (?:est|ist|è|es|está) (?:à vendre|en vente|zu verkaufen|in vendita|en venta|à venda)\b"
        r"|(?:nom de )?domaine\b[^.!?]{0,60}(?:à vendre|en vente|réservé|enregistré|créé|déposé|parqué|expiré"
        r"|disponible à)"
        r"|acheter (?:ce|le) (?:nom de )?domaine",
    ),
    _latin(
        "dominio domínio dominios venta vendita venda comprar compre acquista acquistare registrado registrato "
        "estacionado "
        "aparcado parcheggiato expirado expirou scaduto domini",
        r"dom[ií]nio\b[^.!?]{0,60}(?:en venta|a la venta|in vendita|à venda|registrad|registrat|estacionad|aparcad"
        r"|parcheggiat|expir|scadut|caducad|disponib)|(?:compr\w+|acquist\w+|adquir\w+) (?:este|questo|il|el|esse) "
        r"dom[ií]nio",
    ),
    _latin(
        "domein domeinnaam koop gereserveerd geregistreerd geparkeerd domän domänen domännamn domännamnet "
        "registrerat parkerat salu registrerad "
        "parkerad "
        "domæne domænet salg registreret parkeret domene domenet salgs registrert parkert verkkotunnus myytävänä "
        "varattu",
        r"domei?n\w*\b[^.!?]{0,60}(?:te koop|gereserveerd|geregistreerd|geparkeerd)|koop dit domein"
        r"|dom(?:än|æn|en)\w*\b[^.!?]{0,60}(?:till salu|til salgs?|registre?r|parker|reserver)"
        r"|verkkotunnus\b[^.!?]{0,60}(?:myytävänä|varattu|rekisteröity)",
    ),
    _latin(
        "domena domeny domenę domenę. sprzedaż sprzedaży kup zarejestrowana doména domény prodej predaj zaregistrována "
        "eladó regisztrált domeniu domeniul vânzare înregistrat alan satılık adı tên miền dijual terdaftar domain",
        r"domen[ayęi]\w*\b[^.!?]{0,60}(?:sprzeda|zarejestrowan|zaparkowan|zarezerwowan|kupi|dostępn|wygas|prodaj)"
        r"|kup t[ęae] domen",
        r"domén[ayu]?\b[^.!?]{0,60}(?:prodej|predaj|registrov|parkov)|domain\b[^.!?]{0,40}(?:eladó|regisztrál|parkol)"
        r"|domeni\w*\b[^.!?]{0,40}(?:de vânzare|înregistrat|parcat|expirat)",
        r"alan ad\w+\b[^.!?]{0,60}(?:satılık|park|kayıtl|tescil|satın)|satılık (?:alan|domain)"
        r"|tên miền\b[^.!?]{0,60}(?:bán|đăng ký|chuyển nhượng|hết hạn)|domain\b[^.!?]{0,40}(?:dijual|terdaftar"
        r"|kedaluwarsa)",
    ),
    _script(
        "cyrillic",
        r"домен\w*\b[^.!?]{0,80}(?:прода[её]тся|продаж|припаркован|зарегистрирован|купить|выставлен|свободен"
        r"|ист[её]к|просрочен"
        r"|продається|зареєстрован|продава|се продава)|купить (?:этот |данный )?домен|(?:этот|данный) домен",
    ),
    _script("greek", r"(?:domain|τομέα|όνομα)\w*[^.!?]{0,60}(?:πωλείται|προς πώληση|κατοχυρω)|πωλείται"),
    _script("hebrew", r"(?:הדומיין|שם המתחם|דומיין)[^.!?]{0,60}(?:למכירה|רשום|חנ)|לרכישת הדומיין"),
    _script(
        "arabic",
        r"(?:النطاق|الدومين|نطاق|دومين)[^.!?]{0,60}(?:للبيع|معروض|محجوز|مسجل|شراء)|(?:دامنه)[^.!?]{0,60}(?:فروش|ثبت"
        r"|منقضی)",
    ),
    _script("indic", r"(?:डोमेन|ডোমেইন|டொமைன்)[^.!?]{0,60}(?:बिक्री|बिकाऊ|खरीद|পার্ক|বিক্রি|விற்பனை)"),
    _script("thai", r"โดเมน[^.!?]{0,60}(?:ขาย|จดทะเบียน|หมดอายุ|ซื้อ)"),
    _script("kana", r"ドメイン[^。]{0,60}(?:売|販売|譲渡|取得|登録|パーキング|期限|購入|オークション)"),
    _script(
        "han",
        r"(?:域名|網域|网域|網址)[^。!?]{0,40}(?:出售|转让|轉讓|停放|已注册|过期|過期|待售|购买|購買|拍卖|正在|求购"
        r"|交易|报价)"
        r"|(?:出售|转让|购买|買|收购)[^。!?]{0,10}(?:域名|網域)",
    ),
    _script("hangul", r"도메인[^.!?]{0,40}(?:판매|구매|등록|매매|파킹|만료|팝니다|문의)"),
)

_LOGIN = (
    _latin(
        "anmelden anmeldung einloggen registrieren passwort benutzername kennwort abonnenten abonnent abo abonnement "
        "weiterlesen plus-abo",
        r"(?:bitte|müssen sie sich|melden sie sich)\b[^.!?]{0,40}(?:anmelden|einloggen|\ban\b|registrieren)|passwort "
        r"vergessen"
        r"|kennwort vergessen|^(?:anmelden|anmeldung|login)\b|(?:nur|exklusiv) für (?:abonnenten|mitglieder"
        r"|registrierte)"
        r"|(?:mit|jetzt) [^.!?]{0,20}abo\w* (?:weiterlesen|lesen)|weiterlesen mit|(?:bereits|schon) (?:abonnent"
        r"|kunde|abo)"
        r"|(?:artikel|beitrag|text)\b[^.!?]{0,40}(?:nur|exklusiv)\b[^.!?]{0,20}abo",
    ),
    _latin(
        "connexion connecter connectez identifier identifiez passe abonnés abonné compte",
        r"mot de passe oublié|(?:vous devez|veuillez|il faut)\b[^.!?]{0,20}(?:connecter|identifier)|connectez-vous"
        r"|^(?:se )?connex?ion\b|identifiez-vous|réservée?s? (?:aux|à nos) (?:abonnés|membres)|se connecter"
        r"|(?:pour|de) lire la suite|(?:déjà|vous êtes) abonnée?|il vous reste \d+",
    ),
    _latin(
        "iniciar sesión contraseña acceder accedi accesso password senha entrar login inicie suscriptores registrati "
        "cuenta "
        "conta abbonati abbonato iniciar sessão leyendo lendo leggere suscriptor suscríbete suscríbase assinantes "
        "assine",
        r"inici[ae]r? (?:de )?sesi[óo]n|iniciar sessão|¿?(?:ha |has )?olvid\w+ (?:su|tu|la)? ?contraseña|(?:esqueceu"
        r"|esqueci) "
        r"(?:a |sua |minha )?senha|(?:faça|fazer) (?:o )?login|password dimenticata|^(?:acced[ie]|accesso|entrar)\b"
        r"|(?:devi|effettua|occorre)\b[^.!?]{0,20}(?:accedere|accesso|login)|(?:solo|exclusivo) (?:para|per) "
        r"(?:suscript|abbonat|assinant)|(?:para|per) (?:seguir|continuar?e?) (?:leyendo|lendo|a leggere|lectura)"
        r"|(?:suscr[ií]b\w+|assine|abbonati)\b[^.!?]{0,40}(?:leer|leyendo|ler|leggere)|ya (?:eres|es) suscriptor|sei "
        r"già abbonat",
    ),
    _latin(
        "inloggen wachtwoord logga lösenord ind adgangskode logg passord kirjaudu salasana zaloguj zalogować hasło "
        "hasła "
        "přihlásit přihlášení heslo prihlásiť bejelentkezés jelszó autentificare parola giriş şifre şifremi "
        "şifrenizi nhập "
        "masuk sandi kata prijava lozinka verder videre vidare abonnees abonnenter prenumeranter subskrybentów dalej",
        r"inloggen|wachtwoord vergeten|logga in|glömt (?:ditt )?lösenord|log ind|glemt (?:din |ditt )?(?:adgangskode"
        r"|passord)"
        r"|logg inn|kirjaudu|unohti\w+ salasana",
        r"zaloguj|zalogować|(?:nie pamięta\w+|zapomnia\w+) hasła|přihlá(?:sit|šení|ste)|zapomen\w+ heslo|prihlás"
        r"|bejelentkez"
        r"|elfelejtett jelszó|autentific|giriş yap|şifremi unuttum|đăng nhập|quên mật khẩu|lupa (?:kata )?sandi"
        r"|silakan masuk"
        r"|prijav[ai]\b|zaboravljena lozinka",
        r"(?:lees|læs|les|läs) (?:verder|videre|vidare) (?:met|med|som)|(?:alleen|kun|endast|bare|tylko|jen) (?:voor"
        r"|for|för|dla"
        r"|pro) (?:abonn|prenumer|subskryb|předplat)|aby czytać dalej|för att läsa (?:vidare|hela)",
    ),
    _script(
        "cyrillic",
        r"(?:только )?для (?:подписчиков|зарегистрированных)|войти|войдите|вход (?:в|на|для)|авториз\w+|забыли "
        r"пароль|увійти|увійдіть|забули пароль|влез|забравена парола",
    ),
    _script("greek", r"σύνδεση|συνδεθείτε|ξεχάσ\w+[^.!?]{0,20}κωδικ"),
    _script("hebrew", r"התחבר\w*|כניסה ל|שכחת[^.!?]{0,6} (?:את )?הסיסמ"),
    _script("arabic", r"تسجيل الدخول|نسيت كلمة|سجل الدخول|ورود به|وارد شوید|رمز عبور"),
    _script("indic", r"लॉग ?इन|साइन ?इन|পাসওয়ার্ড|லாகின்|உள்நுழை"),
    _script("thai", r"เข้าสู่ระบบ|ลืมรหัสผ่าน|ลงชื่อเข้า"),
    _script(
        "kana",
        r"(?:有料会員|有料記事|この記事は有料)|続きを(?:お読み|読む)[^。]{0,20}(?:会員|登録|購読)|ログイン|パスワードを(?:お)?忘れ|会員(?:限定|登録|専用)",
    ),
    _script(
        "han",
        r"(?:请|請)?(?:先)?(?:登录|登入|登錄)(?:后|後|您|你|账|帳|以|才|页|頁)|忘记密码|忘記密碼|(?:用户|用戶|会员"
        r"|會員)登[录錄入]|扫码登录",
    ),
    _script("hangul", r"로그인|비밀번호(?:를)? ?(?:찾기|잊)|회원(?:전용| 전용)"),
)

_CONSENT = (
    _latin(
        "cookies cookie zustimmen einwilligung akzeptieren privatsphäre datenschutz partner werbung alter jahre",
        r"mit werbung|zustimmen und weiter|alle (?:cookies )?akzeptieren|ihre (?:privatsphäre|zustimmung|einwilligung)"
        r"|wir und unsere \d+ partner|sind sie (?:über |mindestens )?\d\d",
    ),
    _latin(
        "cookies accepter consentement privée partenaires aceptar acepto privacidad consentimiento aceitar privacidade "
        "accettare accetta consenso partner accepteren toestemming privacy samtycke godkänn akceptuję zgoda prywatność",
        r"accepter et (?:continuer|fermer)|tout (?:accepter|refuser)|nos (?:\d+ )?partenaires|votre (?:vie privée"
        r"|consentement)"
        r"|acept\w+ (?:todas|todo|y continuar|las cookies)|tu privacidad|su privacidad|aceitar (?:todos|tudo|cookies)",
        r"accett\w+ (?:tutti|tutto|e continua)|la tua privacy|alles (?:accepteren|toestaan)|jouw privacy|uw privacy"
        r"|godkänn alla|akceptuj\w* (?:wszystkie|i przejdź)|twoja prywatność|zaakceptuj",
    ),
    _script("cyrillic", r"(?:принять|принимаю|соглас\w+)[^.!?]{0,40}(?:cookie|куки|услов)|вам (?:уже )?(?:есть )?18"),
    _script("kana", r"(?:cookie|クッキー)[^。]{0,40}(?:同意|許可)|18歳以上"),
    _script("han", r"(?:接受|同意)[^。]{0,20}(?:cookie|隐私|隱私)|(?:已满|年满|滿)18"),
    _script("hangul", r"쿠키[^.!?]{0,30}동의|19세"),
)

_CAPTCHA = (
    _latin(
        "robot roboter mensch captcha sicherheitsüberprüfung browser überprüft humain vérification vérifier robots "
        "humano "
        "verificación verificar verificação robô umano verifica robota człowiekiem weryfikacja mens controle människa "
        "land pays région país región paese patientez warten moment bitte zugriff verweigert refusé denegado",
        r"(?:kein|keine|ein) (?:roboter|mensch)\b|sicherheits(?:über|)prüfung|(?:ihr|dein) browser (?:wird )?überprüf"
        r"|zugriff (?:wurde )?verweigert|einen moment",
        r"(?:vous (?:êtes|n'êtes pas)|pas) (?:un |bien un )?(?:humain|robot)|vérif\w+[^.!?]{0,40}(?:humain"
        r"|navigateur|sécurité)"
        r"|accès (?:refusé|interdit|bloqué)",
        r"no (?:eres|soy|es) un robot|(?:eres|es) humano|verific\w+[^.!?]{0,40}(?:human|seguridad|segurança"
        r"|navegador|uman)"
        r"|não (?:é|sou) um robô|non sei un robot|acceso denegado|acesso negado|accesso negato",
        r"(?:in (?:deinem|ihrem) land|dans votre (?:pays|région)|en (?:tu|su) (?:país|región)|nel tuo paese|no seu país"
        r"|i ditt land)\b[^.!?]{0,20}",
        r"nie jest(?:eś|em) robotem|jeste?[śs] człowiekiem|geen robot|inte en robot|ikke en robot|nejste robot|robot "
        r"değil",
    ),
    _script(
        "cyrillic",
        r"(?:не|вы) робот|проверка (?:браузера|безопасности)|подтвердите, что|доступ (?:запрещ|ограничен"
        r"|заблокирован)|не бот",
    ),
    _script("greek", r"δεν είστε ρομπότ|επαλήθευση ασφαλείας"),
    _script("hebrew", r"לא רובוט|אימות אנוש|הגישה נחסמה"),
    _script("arabic", r"لست (?:روبوت|برنامج)|التحقق من|تم حظر|ربات نیستید"),
    _script("thai", r"ไม่ใช่หุ่นยนต์|ตรวจสอบความปลอดภัย|ยืนยันว่าคุณ"),
    _script(
        "kana",
        r"ロボットで(?:は)?(?:ない|ありません)|人間であること|セキュリティ(?:チェック|確認)|アクセスが(?:拒否|制限"
        r"|ブロック)|画像認証",
    ),
    _script(
        "han",
        r"人机验证|人機驗證|安全验证|安全檢查|安全检查|验证码|驗證碼|不是机器人|不是機器人|正在(?:检查|验证)"
        r"|访问(?:过于)?频繁|拒绝访问|滑块",
    ),
    _script(
        "hangul",
        r"로봇이 아닙니다|보안 (?:확인|문자)|사람(?:인지|임을)|접근이 (?:차단|거부)|자동(?:화된)? (?:등록|접근)",
    ),
)

_MAINTENANCE = (
    _latin(
        "wartung wartungsarbeiten wartungsmodus wartungszwecken wartungsgründen maintenance mantenimiento manutenção "
        "manutenzione onderhoud underhåll "
        "vedligeholdelse vedlikehold huolto huoltokatko konserwacja konserwacji techniczna techniczne údržba údržbu "
        "údržby "
        "odstávka karbantartás mentenanță bakım bakımda trì pemeliharaan perbaikan održavanja vorübergehend kürze "
        "gleich "
        "bientôt momentanément volvemos breve indisponible disponible disponibile indisponível disponível derzeit",
        r"(?:actuellement|temporairement) indisponible|(?:actual|temporal)mente no disponible|derzeit nicht "
        r"(?:erreich|verfüg)bar"
        r"|(?:attual|temporanea)mente non disponibile|(?:atual|temporaria)mente (?:indisponível|não disponível)",
        r"wartungs\w+|(?:in|wegen|für|im) wartung|vorübergehend nicht (?:erreichbar|verfügbar)|gleich "
        r"zurück",
        r"en (?:cours de )?maintenance|(?:site|page)\b[^.!?]{0,30}maintenance|momentanément indisponible|de retour "
        r"bientôt"
        r"|(?:en|em|in|por) (?:mantenimiento|manutenção|manutenzione)|(?:sitio|página|web|portal|servicio|site"
        r"|sistema|sito"
        r"|servizio)\b[^.!?]{0,60}(?:mantenimiento|manutenção|manutenzione)|volvemos (?:pronto|enseguida)|voltamos "
        r"(?:em "
        r"breve|já)",
        r"onderhoud|underhåll|vedligeholdelse|vedlikehold|huolto|konserwac|(?:prace|przerwa) techniczn|údržb|odstávk"
        r"|karbantart|mentenanță|bakım|bảo trì|pemeliharaan|sedang (?:dalam )?perbaikan|održavanj",
    ),
    _script(
        "cyrillic",
        r"техническ\w+ (?:работ|обслуж|перерыв|причин)|профилактическ|технічн\w+ (?:робот|обслуг|перерв)|скоро "
        r"(?:вернемся|вернёмся)|временно (?:недоступ|не работа)|поддръжка|одржавањ",
    ),
    _script("greek", r"συντήρησ|προσωρινά"),
    _script("hebrew", r"תחזוקה|בעבודות|נשוב בקרוב"),
    _script("arabic", r"صيانة|الصيانة|تعمیر|بروزرسانی|موقتا"),
    _script("indic", r"रखरखाव|मेंटेनेंस|রক্ষণাবেক্ষণ|பராமரிப்பு"),
    _script("thai", r"ปิดปรับปรุง|บำรุงรักษา|ปรับปรุงระบบ"),
    _script("kana", r"メンテナンス|しばらく(?:お待ち|経って|して)"),
    _script(
        "han",
        r"(?:系统|系統|网站|網站|服务器|伺服器|平台|站点|正在|例行|停机)[^。!?]{0,12}(?:维护|維護)|(?:维护|維護)(?:中|期间|期間|公告)"
        r"|系统升级|系統升級|暂时无法|暫時無法|稍后再|稍後再",
    ),
    _script("hangul", r"점검|유지 ?보수|잠시 후"),
)

_SUSPENDED = (
    _latin(
        "gesperrt deaktiviert abgeschaltet suspendu désactivé suspendida suspendido suspenso suspensa sospeso sospesa "
        "opgeschort geblokkeerd zawieszona zawieszone zablokowana zablokowane konto pozastaven askıya alındı "
        "alınmıştır ngưng "
        "ditangguhkan dinonaktifkan felfüggesztett avstängd suspenderad",
        r"(?:website|webseite|seite|konto|account|domain|webspace|präsenz)\b[^.!?]{0,60}(?:gesperrt|deaktiviert"
        r"|abgeschaltet)"
        r"|(?:compte|site|hébergement)\b[^.!?]{0,30}(?:suspendu|désactivé)|(?:cuenta|sitio|conta|página|hospedagem"
        r"|account|sito)"
        r"\b[^.!?]{0,30}(?:suspendid|suspens|sospes)",
        r"opgeschort|geblokkeerd|(?:konto|strona|usługa)\b[^.!?]{0,30}(?:zawieszon|zablokowan)|pozastaven|askıya al"
        r"|tạm ngưng"
        r"|ditangguhkan|dinonaktifkan|felfüggeszt|avstängd",
    ),
    _script(
        "cyrillic",
        r"(?:аккаунт|сайт|хостинг|домен|учетная|учётная)\w*[^.!?]{0,60}(?:заблокирован|отключ[её]н|приостановлен"
        r"|заморожен)",
    ),
    _script("arabic", r"(?:تم|هذا)[^.!?]{0,30}(?:تعليق|إيقاف|موقوف)|مسدود شده"),
    _script("kana", r"(?:アカウント|サイト|サービス)[^。]{0,30}(?:停止|凍結|終了)"),
    _script(
        "han", r"(?:网站|網站|账户|帐户|帳戶|空间|站点|主机)[^。]{0,24}(?:暂停|暫停|关闭|關閉|停用|停止|冻结|欠费|到期)"
    ),
    _script("hangul", r"(?:계정|사이트|서비스)[^.!?]{0,24}(?:정지|중지|차단|종료)"),
)

_ERROR = (
    _latin(
        "serverfehler erreur servidor errore serwera chyba sunucu interner interne",
        r"(?:interner )?serverfehler|erreur (?:interne du )?serveur|error (?:interno )?del servidor|erro interno do "
        r"servidor"
        r"|errore (?:interno )?del server|(?:wewnętrzny )?błąd serwera|chyba serveru|sunucu hatası|lỗi máy chủ",
    ),
    _script("cyrillic", r"(?:внутренняя )?ошибка сервера|ошибка (?:базы данных|подключения)|помилка сервера"),
    _script("kana", r"サーバー?(?:内部)?エラー|データベース(?:接続)?エラー"),
    _script("han", r"服务器(?:内部)?错误|伺服器(?:內部)?錯誤|数据库(?:连接)?错误"),
    _script("hangul", r"서버 (?:내부 )?오류"),
)

_PLACEHOLDER = (
    _latin(
        "aufbau construction construcción construção costruzione budowie výstavbě opbygning uppbyggnad aşamasında "
        "construcció bouw bald próximamente breve prossimamente",
        r"im aufbau|en construction|en construcción|em construção|in costruzione|in aanbouw|w budowie|ve výstavbě"
        r"|under (?:opbygning|uppbyggnad)|yapım aşamasında|đang xây dựng|dalam pembangunan",
    ),
    _script("cyrillic", r"в разработке|на реконструкции|в стадии разработки|скоро открыти|сайт создан"),
    _script("arabic", r"قيد الإنشاء|تحت الإنشاء|در حال ساخت|به زودی"),
    _script("kana", r"工事中|準備中|近日公開"),
    _script("han", r"建设中|建設中|即将上线|敬请期待"),
    _script("hangul", r"준비 ?중|공사 ?중"),
)

_SPAM = (
    _latin(
        "bahis bahisçi bonusu casino kumarhane rulet iddaa situs judi slot gacor maxwin rtp cược cái hũ bài apuestas "
        "tragamonedas tragaperras apostas cassino tigrinho casinos kasino vedonlyönti bukmacher kasyno szerencsejáték",
        r"(?:deneme|yatırımsız|hoş ?geldin|çevrimsiz) bonusu?|(?:canlı|kaçak|güvenilir) bahis|bahis siteleri|casino "
        r"siteleri",
        r"situs (?:judi|slot|togel)|slot (?:online|gacor|maxwin)|(?:gampang|mudah) (?:menang|maxwin)|rtp (?:live|slot)"
        r"|bonus new member",
        r"nhà cái|cá cược|nổ hũ|game bài|cờ bạc|đánh bạc",
        r"(?:apuestas|apostas) (?:deportivas|esportivas|online)|casinos? (?:online|en línea|en ligne|en vivo)"
        r"|tragamonedas"
        r"|tragaperras|bonos? (?:sin|de) (?:depósito|bienvenida)|jogo do tigrinho|(?:bônus|bonus) (?:de cadastro"
        r"|senza deposito"
        r"|sans dépôt)|kasyno online|online kaszinó|nettikasino",
    ),
    _script(
        "cyrillic",
        r"онлайн[- ]?казино|казино (?:онлайн|вулкан|бонус)|букмекерск\w+ (?:контор|бонус)|ставки на спорт|игровые "
        r"автоматы"
        r"|бездепозитн\w+ бонус|фриспин|зеркало (?:на сегодня|рабочее|сайта)",
    ),
    _script("thai", r"สล็อต|บาคาร่า|คาสิโน|แทงบอล|เว็บพนัน|เครดิตฟรี|หวยออนไลน์|ฝาก[- ]?ถอน"),
    _script(
        "han",
        r"(?:在线|線上|线上|网上|網上)?(?:赌场|賭場|娱乐城|娛樂城|博彩|百家乐|百家樂|老虎机|老虎機)|(?:注册|註冊|首存)送"
        r"|体育投注|體育投注|彩票(?:平台|网站|投注)|棋牌(?:游戏|平台)",
    ),
    _script("kana", r"オンラインカジノ|カジノ(?:ボーナス|サイト)|入金不要ボーナス|スポーツベット"),
    _script(
        "hangul",
        r"(?:온라인|바카라|우리|실시간)\s?카지노|카지노\s?(?:사이트|쿠폰)|토토\s?(?:사이트|추천)|먹튀|슬롯\s?사이트",
    ),
    _script("arabic", r"كازينو (?:اون|أون|عبر)|مراهنات|شرط ?بندی|کازینو آنلاین"),
)

ABROAD: Mapping[str, tuple[Phrases, ...]] = {
    "soft_404": _MISSING,
    "parked": _PARKED,
    "login_wall": _LOGIN,
    "consent_wall": _CONSENT,
    "captcha": _CAPTCHA,
    "maintenance": _MAINTENANCE,
    "suspended": _SUSPENDED,
    "error_dump": _ERROR,
    "placeholder": _PLACEHOLDER,
    "spam": _SPAM,
}
