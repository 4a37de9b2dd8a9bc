"""First names of many origins, short forms of them, and handles: what speakers of a chat are called."""

MASCULINE = tuple(
    """Adebayo Ahmed Ali Amir Anders Andrei Antoine Arjun Bartek Bilal Bruno Chidi Daichi Darius Davide Deniz Diego
    Dmitri Duc Emeka Emre Enzo Erik Farid Felipe Filip Giorgos Goran Hamza Hans Haruto Hassan Hiroshi Hung Ibrahim
    Igor Jakub Jamal Jan Javier Jesper Jiho Jonas Jorge Kacper Karim Kemal Kenji Khalid Kofi Kwame Lars Lorenzo Luca
    Luis Mamadou Marek Marco Mateo Mehmet Milan Minh Mohamed Nam Nikolai Omar Pablo Pavel Petr Piotr Quang Rahul Raj
    Rashid Ravi Ricardo Said Sanjay Sergei Stefan Sven Tariq Tomasz Tuan Umut Vikram Vlad Wei Yannick Yusuf
    Zoran""".split()
)
FEMININE = tuple(
    """Adaeze Agnieszka Aicha Ama Amara Amina Anh Anja Ananya Ayesha Aylin Beatriz Bianca Camila Chiara Chloe Dalia
    Dilara Ebru Elif Emine Esra Eszter Fatima Fatou Freya Giulia Greta Hana Hanh Heidi Ines Ingrid Irina Isla Jana
    Jasmin Jisoo Joana Kamala Katarina Kavya Keiko Khadija Lan Larissa Leila Leticia Linh Lucia Maja Malgosia Marta
    Mei Meera Mina Miriam Nadia Nasrin Natasha Ngoc Nia Nisha Nomsa Olga Paloma Parvati Petra Phuong Priya Rania Rosa
    Sabine Safiya Sakura Salma Sana Selin Shanti Sienna Signe Simran Sofia Svetlana Tamara Thandi Trang Ulrike Valeria
    Yara Yasmin Yuki Zainab Zofia Zuzanna""".split()
)
EITHER = tuple(
    """Alexis Angel Ari Ash Billie Bao Casey Charley Dani Devin Drew Eli Ezra Frankie Glenn Hao Harper Jamie Jess Jules
    Kai Kim Lee Lou Mika Morgan Nicky Niko Noor Pat Quinn Ren Riley Robin Rowan Sasha Shay Sky Tal Taylor Toni Val Vic
    Xin Yan Zhen""".split()
)
SHORT = {
    "Agnieszka": "Aga", "Ahmed": "Ahmo", "Alexis": "Lexi", "Amanda": "Mandy", "Ananya": "Anu", "Andrew": "Andy",
    "Anna": "Annie", "Antoine": "Toni", "Anthony": "Tony", "Barbara": "Barb", "Beatriz": "Bea", "Benjamin": "Ben",
    "Camila": "Cami", "Catherine": "Cathy", "Charles": "Charlie", "Christine": "Chris", "Daniel": "Dan",
    "David": "Dave", "Dmitri": "Dima", "Donald": "Don", "Edward": "Ed", "Elizabeth": "Liz", "Eric": "Ricky",
    "Eszter": "Eszti", "Felipe": "Pipe", "Frances": "Fran", "Gabriel": "Gabe", "Ibrahim": "Ibo", "Jacob": "Jake",
    "Jakub": "Kuba", "James": "Jim", "Jennifer": "Jen", "Jessica": "Jess", "Jonathan": "Jon", "Joseph": "Joe",
    "Katarina": "Kati", "Katherine": "Kate", "Kemal": "Kemo", "Kenneth": "Ken", "Larissa": "Lari", "Leticia": "Leti",
    "Lorenzo": "Renzo", "Malgosia": "Gosia", "Margaret": "Maggie", "Mateo": "Teo", "Matthew": "Matt",
    "Michael": "Mike", "Michelle": "Shelly", "Mohamed": "Mo", "Natasha": "Tasha", "Nicholas": "Nick",
    "Nikolai": "Kolya", "Pamela": "Pam", "Patricia": "Trish", "Patrick": "Pat", "Piotr": "Piotrek", "Rebecca": "Becky",
    "Ricardo": "Rico", "Richard": "Rick", "Robert": "Rob", "Ronald": "Ron", "Samantha": "Sam", "Sergei": "Seryoga",
    "Sofia": "Sofi", "Stephanie": "Steph", "Stephen": "Steve", "Susan": "Sue", "Svetlana": "Sveta", "Tamara": "Tammy",
    "Theresa": "Terri", "Thomas": "Tom", "Tomasz": "Tomek", "Valeria": "Vale", "Victoria": "Vicky", "Vikram": "Vik",
    "Vincent": "Vince", "Vladimir": "Vova", "William": "Will", "Yasmin": "Yas", "Zuzanna": "Zuza",
}  # fmt: skip
"""What friends say instead of a name."""
HANDLES = tuple(
    """bookworm_77 captain.k cloudy dj_lemon dragonfly22 firefly frau.holle gamer4ever greenbean Grandma Grandpa
    honeybee jazzcat kiwi_kid landlord lionheart lucky13 marathon_man Mom Dad mila.m moonchild neighbour_4b night-owl
    panda.express Paris1990 pixelpete purplerain Aunty Uncle quietstorm redpanda roadrunner sea.breeze Sis Bro
    silverfox skaterboy snowwhite sunny.side teacup_t thebaker travelbug vinylfan wanderer x_ray zebra_zoe""".split()
)
"""Nicknames that people and their contacts' lists have."""
COUNTRIES = ("+44 7700 900", "+1 555 010", "+49 171 55", "+90 532 55", "+84 91 555", "+33 6 55 50", "+48 601 55")
"""How telephone numbers begin."""
